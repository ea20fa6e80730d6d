const MAX_DEPTH = 20;
const MAX_KEYS = 100;

type Rule = { readonly holds: (value: unknown) => boolean; readonly says: string };

const positiveInteger: Rule = {
  holds: (value) => Number.isSafeInteger(value) && (value as number) > 0,
  says: 'must be a whole number above 0',
};

/** The fields we know. A policy is open: others are kept as they are. */
const KNOWN: Readonly<Record<string, Rule>> = {
  retention_days: {
    holds: (value) => value === null || positiveInteger.holds(value),
    says: 'must be a whole number above 0, or null',
  },
  privacy: {
    holds: (value) => value === 'local_only' || value === 'exportable',
    says: 'must be local_only or exportable',
  },
  freshness_lambda: { holds: (value) => isBetween(value, 0, Number.MAX_VALUE), says: 'must be a number, 0 or more' },
  dedup_threshold: { holds: (value) => isBetween(value, 0, 1), says: 'must be a number from 0 to 1' },
  max_chunk_tokens: positiveInteger,
  max_pdf_pages: positiveInteger,
  allowed_domains: {
    holds: (value) => Array.isArray(value) && value.every((entry) => typeof entry === 'string' && entry !== ''),
    says: 'must be a list of domain names',
  },
  diagnostics_enabled: { holds: (value) => typeof value === 'boolean', says: 'must be true or false' },
};

export interface PolicyProblem {
  readonly field: string;
  readonly message: string;
}

/** What is wrong with a policy, by field; empty when nothing is. */
export function policyProblems(policy: Readonly<Record<string, unknown>>): PolicyProblem[] {
  const fields = Object.entries(policy);
  if (fields.length > MAX_KEYS) return [{ field: 'policy', message: `must have at most ${MAX_KEYS} fields` }];
  return fields.flatMap(([field, value]) => {
    const message = problemOf(field, value);
    return message === undefined ? [] : [{ field: `policy.${field}`, message }];
  });
}

function problemOf(field: string, value: unknown): string | undefined {
  const rule = Object.hasOwn(KNOWN, field) ? KNOWN[field] : undefined;
  if (rule && !rule.holds(value)) return rule.says;
  return isStorable(field) && isStorable(value) ? undefined : 'cannot be stored';
}

/** False for what a database cannot keep as text: NUL, and halves of characters. Deeply nested values count as such. */
export function isStorable(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return !/[\0\p{Surrogate}]/u.test(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth >= MAX_DEPTH) return false;
  return Object.entries(value).every(([key, entry]) => isStorable(key) && isStorable(entry, depth + 1));
}

function isBetween(value: unknown, min: number, max: number): boolean {
  return typeof value === 'number' && value >= min && value <= max;
}
