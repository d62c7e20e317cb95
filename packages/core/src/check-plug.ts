import { SchedError } from './error.js'

/** An example of each kind, for the message to a caller who passed something else. */
const examples = {
  order: 'fifo()',
  policy: 'greedy(fifo())',
  placement: 'bestFit()',
  architecture: 'monolithic()',
} as const
type Kind = keyof typeof examples

/** Something that should be a plug. */
interface Found {
  readonly kind?: unknown
  readonly name?: unknown
  readonly create?: unknown
  /** Definitions have this, plugs do not. */
  readonly plug?: unknown
}

/** Throws `BAD_OPTION` unless `value` is a plug of the kind. A program without types may pass a name, a function that was not called, or nothing. */
export function checkPlug(kind: Kind, value: unknown, field: string): void {
  const found = (value ?? {}) as Found
  if (found.kind === kind && typeof found.create === 'function' && found.plug === undefined) return
  const [fact, wayOut = `Give one, for example ${examples[kind]}.`] = instead(kind, value, found)
  throw new SchedError('BAD_OPTION', `${fact}, and ${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind} is needed.`, { field }, wayOut)
}

/** What was given instead of a plug of the kind, and what to do about it. */
function instead(kind: Kind, value: unknown, { kind: other, name, create, plug }: Found): [fact: string, wayOut?: string] {
  if (value === undefined || value === null) return ['is missing']
  if (typeof value === 'function') return [`is the function ${String(name)}`, `Call it, for example ${examples[kind]}.`]
  if (typeof plug === 'function') return [`is the definition "${String(name)}"`, 'Make a plug of it: `.plug(parts, options)`.']
  if (typeof other !== 'string' || typeof create !== 'function') return [`is ${JSON.stringify(value) ?? typeof value}`]
  const fact = `is the ${other} "${String(name)}"`
  return kind === 'policy' && other === 'order' ? [fact, 'An order runs under a discipline, for example greedy(fifo()).'] : [fact]
}
