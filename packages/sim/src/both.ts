import type { WorkListener } from '@sched/core'

const hooks = ['onSubmit', 'onReady', 'onDrained', 'onMore', 'onClaim', 'onRelease', 'onFinish'] as const

/** Tells two listeners, in order. */
export function both(first: WorkListener, second: WorkListener): WorkListener {
  const told = (hook: (typeof hooks)[number]) => {
    const call = first[hook]?.bind(first) as ((...args: unknown[]) => void) | undefined
    const then = second[hook]?.bind(second) as ((...args: unknown[]) => void) | undefined
    if (call === undefined || then === undefined) return call ?? then
    return (a: unknown, b: unknown, c: unknown, d: unknown, e: unknown) => {
      call(a, b, c, d, e)
      then(a, b, c, d, e)
    }
  }
  return Object.fromEntries(hooks.map((hook) => [hook, told(hook)] as const).filter(([, call]) => call !== undefined))
}
