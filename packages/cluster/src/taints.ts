import type { Taint, Toleration } from '@sched/core'

/** Whether a taint keeps tasks off that do not tolerate it. */
export const isHard = ({ effect }: Taint): boolean => effect !== 'PreferNoSchedule'

/** `gpu=present:NoSchedule`, as kubectl writes taints. */
export const taintText = ({ key, value = '', effect }: Taint): string => `${key}${value === '' ? '' : `=${value}`}:${effect}`

/** What tells a taint from all others; its text may not, where names have an equals sign. */
export const taintKey = ({ key, value = '', effect }: Taint): string => JSON.stringify([key, value, effect])

/**
 * Whether a toleration matches a taint. A missing or empty key matches any key, a missing effect any effect; the default operator is `Equal`.
 *
 * Source: Kubernetes, api/core/v1/toleration.go (ToleratesTaint); `Gt` and `Lt` are of its TaintTolerationComparisonOperators.
 */
export function tolerates({ key = '', operator = 'Equal', value = '', effect }: Toleration, taint: Taint): boolean {
  if (effect !== undefined && effect !== taint.effect) return false
  if (key !== '' && key !== taint.key) return false
  const other = taint.value ?? ''
  if (operator === 'Exists') return true
  if (operator === 'Equal') return value === other
  return isWhole(value) && isWhole(other) && (operator === 'Gt' ? BigInt(other) > BigInt(value) : BigInt(other) < BigInt(value))
}

/** Whether a text is an integer without plus sign or leading zeros, as Kubernetes requires here. */
const isWhole = (text: string): boolean => /^(0|-?[1-9]\d*)$/.test(text)

/** Parses a taint as kubectl writes it, `gpu=present:NoSchedule` or `gpu:NoSchedule`; `undefined` for any other text. */
export function taintOf(text: string): Taint | undefined {
  const [, key, value, effect] = /^([^=:\s]+)(?:=([^=:\s]*))?:(NoSchedule|NoExecute|PreferNoSchedule)$/.exec(text) ?? []
  return key === undefined ? undefined : { key, ...(value !== undefined && value !== '' && { value }), effect: effect as Taint['effect'] }
}
