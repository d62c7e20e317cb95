import { WaterFill } from '../shares/water-fill.js'
import type { Session } from './plugin.js'
import type { Queue } from './queue.js'

/** Sets the most that each queue may have: all but what `others`, without itself, are guaranteed, and at most its capability. */
export function boundBy({ resources, total }: Pick<Session, 'resources' | 'total'>, queues: readonly Queue[], others: readonly Queue[]): void {
  for (const r of resources) {
    const guaranteed = guaranteedTo(others, r)
    for (const queue of queues) queue.realCapability[r] = bound(queue, total[r] as number, guaranteed, r)
  }
}

/** The same for one queue and one resource of which there is `total`. */
export const mostOf = (queue: Queue, others: readonly Queue[], total: number, r: number): number => bound(queue, total, guaranteedTo(others, r), r)

const guaranteedTo = (queues: readonly Queue[], r: number): number => queues.reduce((sum, { guarantee }) => sum + (guarantee[r] as number), 0)

const bound = ({ capability, guarantee }: Queue, total: number, guaranteed: number, r: number): number =>
  Math.min(Math.max(0, total - guaranteed) + (guarantee[r] as number), capability[r] as number)

/**
 * Divides the total of each resource among queues by weight; no queue gets more than it may have and asks for. If queues are guaranteed
 * something, each gets its part or its guarantee, whichever is more, and what is left is divided in the same way.
 *
 * Source: Volcano, plugins/proportion (OnSessionOpen), which divides round by round until too little is left; this computes the limit of these rounds.
 */
export function deserve({ resources, total }: Session, queues: readonly Queue[]): void {
  const filling = new WaterFill()
  const weights = queues.reduce((sum, queue) => sum + weightOf(queue), 0)
  for (const r of resources) {
    const most = queues.map(({ realCapability, allocated, pending }) => Math.min(realCapability[r] as number, (allocated[r] as number) + (pending[r] as number)))
    const isGuaranteed = queues.some(({ guarantee }) => guarantee[r] !== 0)
    const first = queues.map((queue, i) => (isGuaranteed ? Math.max(Math.min(((total[r] as number) * weightOf(queue)) / weights, most[i] as number), queue.guarantee[r] as number) : 0))
    filling.begin(queues.length)
    for (const [i, queue] of queues.entries()) filling.add(weightOf(queue), 0, Math.max(0, (most[i] as number) - (first[i] as number)))
    filling.fill(Math.max(0, (total[r] as number) - first.reduce((sum, amount) => sum + amount, 0)))
    for (const [i, { deserved }] of queues.entries()) deserved[r] = (first[i] as number) + filling.share(i)
  }
}

const weightOf = ({ settings }: Queue): number => settings.weight ?? 1
