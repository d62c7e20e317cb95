import { randomStream, type JobId, type Round } from '@sched/core'
import { expect, it } from 'vitest'
import { AlikeJobs } from '../src/pbs/alike-jobs.js'

it('jobs are of one kind as long as all that makes it is alike, however they change', { tags: 'long' }, () => {
  const random = randomStream(1, 'alike jobs')
  const below = (most: number) => Math.floor(random() * most)
  const drawn = () => ({
    rights: below(2), queue: below(2), user: below(2), account: ['a', 'b'][below(2)] as string, licenses: below(2) === 0 ? {} : { matlab: 1 + below(2) },
    shape: below(2), tasks: 1 + below(2), least: below(2), most: 4 + below(2), isGang: random() < 0.1,
  })
  type Facts = ReturnType<typeof drawn>
  const facts = Array.from({ length: 8 }, drawn)
  const of = (job: JobId) => facts[job] as Facts
  const work = {
    queue: (job: JobId) => of(job).queue, user: (job: JobId) => of(job).user, account: (job: JobId) => of(job).account, licenses: (job: JobId) => of(job).licenses,
    shape: (job: JobId) => of(job).shape, together: (job: JobId) => of(job).tasks, minNodes: (job: JobId) => of(job).least, maxNodes: (job: JobId) => of(job).most,
    isGangJob: (job: JobId) => of(job).isGang,
  }
  const round = { lane: 0, work } as unknown as Round
  const alike = new AlikeJobs({ kindOf: (job) => of(job).rights })
  const plainKind = (job: number) => JSON.stringify({ ...facts[job], ...(facts[job]?.isGang === true && { job, shape: 0, tasks: 0, least: 0, most: 0 }) })
  let same = 0
  for (let step = 0; step < 2000; step++) {
    const job = below(facts.length)
    const [name, value] = Object.entries(drawn())[below(10)] as [string, unknown]
    facts[job] = random() < 0.3 ? structuredClone(facts[below(facts.length)] as Facts) : { ...(facts[job] as Facts), [name]: value }
    const kinds = facts.map((_, each) => alike.kindOf(each as JobId, round))
    const plain = facts.map((_, each) => plainKind(each))
    for (let a = 0; a < facts.length; a++) for (let b = 0; b < a; b++) {
      expect([step, a, b, kinds[a] === kinds[b]]).toEqual([step, a, b, plain[a] === plain[b]])
      if (kinds[a] === kinds[b]) same++
    }
  }
  expect(same).toBeGreaterThan(200)
})
