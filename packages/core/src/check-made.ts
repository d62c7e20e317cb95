import { nearest, SchedError } from './error.js'
import type { Kind, Kinds } from './kinds.js'
import type { Observer } from './observer.js'
import type { Architecture } from './architecture.js'
import type { Order, Placement, Policy } from './plugs.js'

/** The methods that an object of each kind must have. */
const needed: Readonly<Record<Kind, readonly string[]>> = {
  policy: ['schedule'], order: ['begin', 'next'], placement: ['pick'], architecture: ['trigger'], metric: ['figures'], generator: ['open'], format: ['line'],
}

/** Throws `BROKEN_CONTRACT` for options that are no schema, and for a part of no known kind. */
export function checkDefinition({ kind, name, options, inner = {} }: { readonly kind: Kind; readonly name: string; readonly options?: unknown; readonly inner?: Readonly<Record<string, string>> }): void {
  const bad = (fact: string, wayOut: string) => new SchedError('BROKEN_CONTRACT', fact, {}, wayOut)
  const schema = options as { readonly '~standard'?: { readonly validate?: unknown } } | null | undefined
  if (schema !== undefined && typeof schema?.['~standard']?.validate !== 'function')
    throw bad(`the options of the ${kind} "${name}" are no schema.`, 'Write them with zod, for example z.strictObject({ most: z.int() }), or leave them out.')
  for (const [part, of] of Object.entries(inner))
    if (!/^(order|policy|placement)\??$/.test(of))
      throw bad(`the ${kind} "${name}" is built around \`${part}\` of the kind ${JSON.stringify(of)}.`, "Kinds of parts are order, policy and placement, with ? where one may be left out: 'placement?'.")
}

type HookOf<T> = Extract<keyof T, `on${string}`>
const hooks = {
  onSubmit: true, onReady: true, onDrained: true, onMore: true, onClaim: true, onRelease: true, onFinish: true, onNode: true, onHeartbeat: true, onCommit: true,
} satisfies Readonly<Record<HookOf<Policy & Order & Placement & Architecture>, true>>
const observed = {
  onRunStart: true, onSubmit: true, onTaskStart: true, onTaskEnd: true, onTasksStart: true, onTasksEnd: true, onWorkLost: true, onFetch: true,
  onTaskFetched: true, onUse: true, onJobEnd: true, onReject: true, onReserve: true, onPass: true, onDefer: true, onNode: true, onAvoid: true, onScale: true, onScaleDown: true, onScaleWait: true,
  onNodeState: true, onDecision: true, onAbandon: true, onRunEnd: true,
} satisfies Readonly<Record<HookOf<Observer>, true>>

/**
 * Throws `BROKEN_CONTRACT` if what `create` returned lacks a method, does not answer at once, or has a method that is nearly a hook. The types of a
 * definition do not tell of the last: what a function returns may have more than is asked for.
 */
export function checkMade<K extends Kind>(kind: K, name: string, made: Kinds[K]['made']): Kinds[K]['made'] {
  const methods = ((made as unknown) ?? {}) as Readonly<Record<string, unknown>>
  const bad = (fact: string, wayOut: string) => new SchedError('BROKEN_CONTRACT', `what create() of the ${kind} "${name}" returns ${fact}.`, {}, wayOut)
  if (made instanceof Promise) throw bad('is a promise', AT_ONCE)
  for (const method of needed[kind]) {
    const given = methods[method]
    if (typeof given !== 'function') throw bad(`has no method "${method}"`, `Every ${kind} has ${needed[kind].map((each) => `${each}()`).join(' and ')}.`)
    if (Object.prototype.toString.call(given) === '[object AsyncFunction]') throw bad(`has an asynchronous method "${method}"`, AT_ONCE)
  }
  const called = kind === 'metric' ? observed : hooks
  for (const method of methodsOf(methods)) {
    if (!/^on[A-Z]/.test(method) || method in called || typeof methods[method] !== 'function') continue
    const meant = nearest(method, Object.keys(called))
    if (meant !== undefined) throw bad(`has a method "${method}", which nobody calls`, `Did you mean "${meant}"? Begin the name of one of your own in another way.`)
  }
  return made
}

const AT_ONCE = 'A run does not wait: let it answer at once.'

/** Names of the methods of an object: its own, and those of its class. */
function methodsOf(made: object): string[] {
  const kind = Object.getPrototypeOf(made) as object | null
  return [...Object.keys(made), ...(kind === null || kind === Object.prototype ? [] : Object.getOwnPropertyNames(kind))]
}
