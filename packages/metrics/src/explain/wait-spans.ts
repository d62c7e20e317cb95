import type { Seconds } from '@sched/core'
import { exactParts } from '../exact-parts.js'

/** A part of a wait with one reason. */
export interface WaitSpan {
  /** Begin, seconds of simulated time. */
  readonly from: Seconds
  /** End, seconds of simulated time, above `from`. */
  readonly to: Seconds
  /** The reason: see `jobWait`. */
  readonly why: string
}

/** Appends a span; one that continues the last span with the same reason extends it. */
export function addSpan(spans: WaitSpan[], from: Seconds, to: Seconds, why: string): void {
  if (!(to > from)) return
  const last = spans.at(-1)
  if (last?.why === why && last.to === from) spans[spans.length - 1] = { ...last, to }
  else spans.push({ from, to, why })
}

/** Replaces spans of the reasons in `over` by spans of `above` where these lie. Both lists are in order of time and without overlaps. */
export function overlaid(spans: readonly WaitSpan[], above: readonly WaitSpan[], over: readonly string[]): WaitSpan[] {
  const out: WaitSpan[] = []
  for (const { from, to, why } of cutBy(spans, above, over)) addSpan(out, from, to, why)
  return out
}

/** The same for spans of which more is known: each is cut where spans of `above` begin and end. */
export function cutBy<Span extends WaitSpan>(spans: readonly Span[], above: readonly WaitSpan[], over: readonly string[]): Span[] {
  const out: Span[] = []
  const add = (span: Span, from: Seconds, to: Seconds, why: string) => void (to > from && out.push({ ...span, from, to, why }))
  let next = 0
  for (const span of spans) {
    const { from, to, why } = span
    if (!over.includes(why)) {
      out.push(span)
      continue
    }
    let at = from
    while (next < above.length && (above[next] as WaitSpan).to <= at) next++
    for (let i = next; i < above.length && (above[i] as WaitSpan).from < to; i++) {
      const top = above[i] as WaitSpan
      add(span, at, top.from, why)
      add(span, Math.max(at, top.from), Math.min(to, top.to), top.why)
      at = Math.max(at, Math.min(to, top.to))
    }
    add(span, at, to, why)
  }
  return out
}

/** Seconds by reason, largest first; their sum, in any order, is exactly `wait`. */
export function partsOf(spans: readonly WaitSpan[], wait: Seconds): Record<string, Seconds> {
  const sums = new Map<string, Seconds>()
  for (const { from, to, why } of spans) sums.set(why, (sums.get(why) ?? 0) + (to - from))
  return exactly(sums, wait)
}

/** Sums by reason, largest first, corrected so that their sum, in any order, is exactly `whole`. */
export function exactly(sums: ReadonlyMap<string, number>, whole: number): Record<string, number> {
  const entries = [...sums].sort((a, b) => b[1] - a[1])
  if (entries.length === 0) return {}
  const exact = exactParts(Float64Array.from(entries, ([, amount]) => amount), whole)
  return Object.fromEntries(entries.map(([why], i) => [why, exact[i] as number]))
}
