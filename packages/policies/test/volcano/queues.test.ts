import type { ClusterView } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { KeyRows } from '../../src/orders/ranked-ids.js'
import { volcanoOptions } from '../../src/volcano/options.js'
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
})
