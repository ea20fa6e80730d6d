/** Text of unknown origin on one line, with nothing in it that a terminal would obey. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}

/** Indented JSON that a terminal shows as it is. */
export function plainJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}]/gu, escaped);
}

/** As JSON writes it: a character beyond the first 65,536 is two escapes. */
function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

export function indented(text: string, by = '  '): string {
  return text.replace(/^/gm, by);
}

export function counted(count: number): string {
  return count.toLocaleString('en-US');
}

export function amount(count: number, noun: string): string {
  return `${counted(count)} ${noun}${count === 1 ? '' : 's'}`;
}

export function seconds(value: number): string {
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} s`;
}

/** Columns as wide as their widest cell; those named in `right` end at the same place. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], right: readonly string[] = []) {
  const cells = [head, ...rows.map((row) => row.map(plain))];
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    widths
      .map((width, column) => {
        const cell = row[column] ?? '';
        return right.includes(head[column] ?? '') ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd();
  return cells.map(line).join('\n');
}
