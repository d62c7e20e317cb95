import { WaterFill } from '../shares/water-fill.js'
import type { Session } from './plugin.js'
import type { Queue } from './queue.js'

/** Sets the most that each queue may have: all but what `others`, without itself, are guaranteed, and at most its capability. */
export function boundBy({ resources, total }: Pick<Session, 'resources' | 'total'>, queues: readonly Queue[], others: readonly Queue[]): void {
  for (const r of resources) {
    const guaranteed = guaranteedTo(others, r)
    for (const queue of queues) queue.realCapability[r] = bound(queue, total[r] as number, guaranteed, r)
  }
  for (const queue of queues) queue.areBoundsOther = true
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
 * `onChange` is called for each queue that deserves something else than before.
 */
export function deserve({ resources, total, queues: { guaranteed } }: Session, queues: readonly Queue[], onChange: (queue: Queue) => void): void {
  // loops, since this is done for thousands of queues whenever one of them asks for something else
  const filling = new WaterFill()
  const first = new Float64Array(queues.length)
  let weights = 0
  for (const { weight } of queues) weights += weight
  for (const r of resources) {
    const whole = total[r] as number
    const isGuaranteed = guaranteed.length > 0 && queues.some(({ guarantee }) => guarantee[r] !== 0)
    let given = 0
    filling.begin(queues.length)
    for (let i = 0; i < queues.length; i++) {
      const { weight, realCapability, allocated, pending, guarantee } = queues[i] as Queue
      const most = Math.min(realCapability[r] as number, (allocated[r] as number) + (pending[r] as number))
      const own = isGuaranteed ? Math.max(Math.min((whole * weight) / weights, most), guarantee[r] as number) : 0
      first[i] = own
      given += own
      filling.add(weight, 0, Math.max(0, most - own))
    }
    filling.fill(Math.max(0, whole - given))
    for (let i = 0; i < queues.length; i++) {
      const queue = queues[i] as Queue
      const amount = (first[i] as number) + filling.share(i)
      if (queue.deserved[r] === amount) continue
      queue.deserved[r] = amount
      queue.areBoundsOther = true
      onChange(queue)
    }
  }
}
