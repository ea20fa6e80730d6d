import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A key and a certificate for `localhost`, signed by itself and good for a day. Made anew, so that none is kept. */
export function testCertificate(): { readonly key: string; readonly certificate: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(set(sequence(oid('550403'), tlv(0x0c, Buffer.from('localhost')))));
  const signedWith = sequence(oid('2a8648ce3d040302'));
  const extensions = sequence(
    sequence(oid('551d11'), octets(sequence(tlv(0x82, Buffer.from('localhost'))))),
    sequence(oid('551d13'), octets(sequence(tlv(0x01, Buffer.from([0xff]))))),
  );
  const body = sequence(
    tlv(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    signedWith,
    name,
    sequence(utcTime(-3_600_000), utcTime(86_400_000)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, extensions),
  );
  const signature = tlv(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)]));
  const der = sequence(body, signedWith, signature).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: `-----BEGIN CERTIFICATE-----\n${der.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  };
}

function tlv(tag: number, value: Buffer): Buffer {
  const { length } = value;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), value]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tlv(0x30, Buffer.concat(parts));
}

function set(...parts: readonly Buffer[]): Buffer {
  return tlv(0x31, Buffer.concat(parts));
}

function octets(value: Buffer): Buffer {
  return tlv(0x04, value);
}

function integer(value: Buffer): Buffer {
  return tlv(0x02, value);
}

function oid(hex: string): Buffer {
  return tlv(0x06, Buffer.from(hex, 'hex'));
}

function utcTime(offsetMs: number): Buffer {
  const digits = new Date(Date.now() + offsetMs).toISOString().replace(/[-:T]/g, '').slice(2, 14);
  return tlv(0x17, Buffer.from(`${digits}Z`));
}
