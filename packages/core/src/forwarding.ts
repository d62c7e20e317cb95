import type { JobSpec } from './job.js'
import type { WorkListener } from './views.js'

const hooks = ['onSubmit', 'onReady', 'onDrained', 'onMore', 'onClaim', 'onRelease', 'onFinish', 'onNode', 'onHeartbeat'] as const

/**
 * Hooks that pass every call on to the parts of a composed policy, in order. A hook that one part has is that part's
 * own function, so wrapping costs nothing; a hook that none has is left out.
 */
export function forwarding(...parts: readonly (WorkListener | undefined)[]): WorkListener {
  const made: Record<string, unknown> = {}
  const judges = parts.filter((part) => part?.admits !== undefined)
  if (judges.length > 0) made['admits'] = (spec: JobSpec) => firstReason(judges, spec)
  for (const hook of hooks) {
    const listeners = parts.filter((part) => part?.[hook] !== undefined) as WorkListener[]
    const call = combined(hook, listeners)
    if (call !== undefined) made[hook] = call
  }
  return made
}

function firstReason(judges: readonly (WorkListener | undefined)[], spec: JobSpec): string | undefined {
  for (const judge of judges) {
    const reason = judge?.admits?.(spec)
    if (reason !== undefined) return reason
  }
  return undefined
}

type Call = (a: number, b: number, c: number, d: number, e: string) => void

function combined(hook: (typeof hooks)[number], listeners: readonly WorkListener[]): Call | undefined {
  const [first, ...rest] = listeners
  if (first === undefined) return undefined
  if (rest.length === 0) return (first[hook] as Call).bind(first)
  return (a, b, c, d, e) => {
    for (let i = 0; i < listeners.length; i++) (listeners[i]?.[hook] as Call).call(listeners[i], a, b, c, d, e)
  }
}
