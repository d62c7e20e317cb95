import type { Plug } from '@sched/core'
import { delay, fair, fifo, greedy, preempting, skipDelay, strict } from '@sched/policies'

/** Disciplines that start what fits now, planning nothing by count of nodes: each takes gangs and constraints as they come. */
export const readyDisciplines: Readonly<Record<string, () => Plug<'policy'>>> = {
  greedy: () => greedy(fifo()),
  'greedy over fair': () => greedy(fair()),
  delay: () => delay(fifo(), { node: 5 }),
  'skip-delay': () => skipDelay(fifo(), { skips: 2 }),
  preempting: () => preempting(greedy(fair())),
  strict: () => strict(),
}
