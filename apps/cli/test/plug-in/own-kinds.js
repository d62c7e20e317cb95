import { BadLine, defineFormat, defineGenerator, defineMetric, portableLog, randomStream } from '@sched/core'
import { z } from 'zod'

const bursts = defineGenerator({
  name: 'bursts',
  summary: 'jobs that come many at a time',
  options: z.strictObject({
    jobs: z.int().min(1).default(12).describe('number of jobs'),
    size: z.int().min(1).default(4).describe('jobs of a burst'),
    tasks: z.int().default(2).describe('tasks of a job'),
  }),
  create: ({ jobs, size, tasks }, { seed }) => ({
    name: 'bursts',
    jobs,
    open() {
      const draw = randomStream(seed, 'bursts')
      let submit = 0
      let next = 0
      const job = (i) => {
        if (i % size === 0) submit -= 300 * portableLog(1 - draw())
        return { id: `b${i}`, user: `u${i % 3}`, submit, stages: [{ name: 'work', tasks, demand: { map: 1 }, duration: 60 }] }
      }
      return { next: () => (next < jobs ? job(next++) : undefined) }
    },
  }),
})

const colons = defineFormat({
  name: 'colons',
  summary: 'id:submit:tasks:seconds on each line',
  options: z.strictObject({ slot: z.string().default('map').describe('slot of a task') }),
  detect: (head) => /^\w+:\d+:\d+:-?\d+$/m.test(head),
  create: ({ slot }) => ({
    line(bytes, from, to) {
      const [id, ...numbers] = new TextDecoder().decode(bytes.subarray(from, to)).split(':')
      const [submit, tasks, duration] = numbers.map(Number)
      if (!(duration > 0)) throw new BadLine('seconds', `found ${duration}, expected more than 0.`)
      return { id, submit, stages: [{ name: 'work', tasks, demand: { [slot]: 1 }, duration }] }
    },
  }),
})

const peak = defineMetric({
  name: 'peak',
  summary: 'most tasks at once',
  options: z.strictObject({ user: z.string().optional().describe('only of this user') }),
  create({ user }, { period }) {
    let work
    let running = 0
    let most = 0
    const count = (by, job, now) => {
      if (user !== undefined && work.userName(work.user(job)) !== user) return
      running += by
      if (now >= period.from && now < period.to) most = Math.max(most, running)
    }
    return {
      onRunStart: (run) => void (work = run.work),
      onTaskStart: (_task, job, _lane, _node, _level, now) => count(1, job, now),
      onTaskEnd: (_task, job, _lane, _node, _how, _started, _stopped, now) => count(-1, job, now),
      figures: () => [{ name: 'tasks', title: 'most tasks at once', value: most }],
    }
  },
})

export default [bursts, colons, peak]
