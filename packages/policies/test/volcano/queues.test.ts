import type { ClusterView } from '@sched/core'
import { describe, expect, it, vi } from 'vitest'
import { KeyRows } from '../../src/orders/ranked-ids.js'
import { volcanoOptions } from '../../src/volcano/options.js'
import { Queue } from '../../src/volcano/queue.js'
import { Queues } from '../../src/volcano/queues.js'

const settings = volcanoOptions.parse({ queues: { q: {}, 'q/a': { parent: 'q', guarantee: { cpu: 2 } }, 'q/b': { parent: 'q' } } })

describe('live queues', () => {
  it('are those of all in which anything is, sorted by name', () => {
    const queues = new Queues(settings, { resources: ['cpu'] } as unknown as ClusterView, new KeyRows(1))
    const names = ['q/a', 'q/b', 'z', 'm', 'a', 'n', 'b']
    for (let i = 0; i < 500; i++) {
      const queue = queues.of(names[(i * i * 31) % 7] as string)
      queue.add('allocated', 0, i % 3 === 0 && (queue.allocated[0] as number) > 0 ? -(queue.allocated[0] as number) : i % 2)
      queue.touch()
      if (i % 5 === 0) queues.prune()
      const busy = queues.all.filter(({ isIdle }) => !isIdle)
      expect(queues.live.filter(({ isIdle }) => !isIdle)).toEqual(busy)
      if (i % 5 === 0) expect(queues.live.length).toBe(busy.length)
      expect(queues.all.map(({ name }) => name)).toEqual(queues.all.map(({ name }) => name).sort())
      expect(queues.guaranteed.map(({ name }) => name)).toEqual(['q/a'])
    }
  })

  it('are found without a look at those in which nothing has changed', () => {
    const queues = new Queues(volcanoOptions.parse({}), { resources: ['cpu'] } as unknown as ClusterView, new KeyRows(1))
    const fill = (i: number, amount: number): void => {
      const queue = queues.of(`q${i}`)
      queue.add('allocated', 0, amount)
      queue.touch()
      queues.prune()
    }
    const looks = vi.spyOn(Queue.prototype, 'isIdle', 'get')
    for (let i = 0; i < 500; i++) fill(i, 1)
    for (let i = 0; i < 500; i += 2) fill(i, -1)
    expect(looks.mock.calls.length).toBe(750)
    looks.mockRestore()
    expect(queues.live).toEqual(queues.all.filter(({ isIdle }) => !isIdle))
  })
})
