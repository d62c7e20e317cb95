import type { JobSpec } from '@sched/core'
import { easy, gridEngine, greedy, strict, type GridEngineOptions } from '@sched/policies'
import { checkPolicyLaws, instantCluster, job, run, type JobChange } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { functionalTickets as ticketsOfColumns, type FunctionalShares, type TicketJobs } from '../src/orders/functional-tickets.js'
import { shareTreeTickets as treeTicketsOfColumns, type TreeUser } from '../src/orders/share-tree-tickets.js'
import { firstNode } from './first-node.js'

interface TicketJob {
  readonly user: number
  readonly project: number
  readonly slots: number
}
/** Jobs as columns, those that run first. */
const columns = (running: readonly TicketJob[], waiting: readonly TicketJob[]): TicketJobs => {
  const jobs = [...running, ...waiting]
  const column = (key: keyof TicketJob) => jobs.map((each) => each[key])
  return { running: running.length, all: jobs.length, user: column('user'), project: column('project'), slots: column('slots') }
}
const functionalTickets = (running: readonly TicketJob[], waiting: readonly TicketJob[], shares: FunctionalShares) => ticketsOfColumns(columns(running, waiting), shares)
const shareTreeTickets = (running: readonly TicketJob[], waiting: readonly TicketJob[], users: readonly TreeUser[], compensation: number) =>
  treeTicketsOfColumns(columns(running, waiting), users, compensation)

const rigid = (id: string, slots: number, change: JobChange = {}) => job({ id, tasks: 1, demand: { slots }, duration: 10, ...change })
/** A job that holds all of the machine until 100, so that the others wait. */
const first = rigid('first', 8, { duration: 100, user: 'nobody' })
/** The order in which jobs start that each take all of the machine, or as much of it as they ask for. */
const starts = (options: GridEngineOptions, jobs: readonly JobSpec[], resources: Record<string, number> = { slots: 8 }) =>
  run({ policy: strict(gridEngine(options)), jobs: [first, ...jobs], cluster: instantCluster({ nodes: [{ count: 1, resources }] }) })
    .recorder.launches.slice(1).map((launch) => launch.job).join(' ')
const whole = (id: string, change: JobChange = {}) => rigid(id, 8, { submit: 1, ...change })
const only = (weight: 'priority' | 'urgency' | 'ticket', more: GridEngineOptions = {}): GridEngineOptions => ({ weight_priority: 0, weight_urgency: 0, weight_ticket: 0, [`weight_${weight}`]: 1, ...more })

describe('grid-engine', () => {
  it('takes a higher own priority first, then the earlier submission', () => {
    expect(starts(only('priority'), [whole('a'), whole('b', { priority: 5 }), whole('c', { priority: -7 }), whole('d')])).toBe('b a d c')
  })

  it('lets urgency outweigh own priorities that differ by less than 205 of 2048 under the weights of the installer', () => {
    // urgencies 8,000 and 5,000 of at most 8,000: places 1 and 0, times 0.1; own priorities of 204 and 206 are 0.0996 and 0.1006 more than 0
    const jobs = (priority: number) => [rigid('wide', 8, { submit: 1 }), rigid('small', 5, { submit: 1, priority })]
    expect([204, 206].map((priority) => starts({}, jobs(priority)))).toEqual(['wide small', 'small wide'])
  })

  it('counts what jobs ask for by its urgency, and how long they have waited', () => {
    const jobs = [rigid('plain', 6, { submit: 1 }), rigid('gpu', 5, { submit: 1, demand: { slots: 5, gpus: 2 } }), rigid('wide', 7, { submit: 2 })]
    const machine = { slots: 8, gpus: 4 }
    expect(starts(only('urgency'), jobs, machine)).toBe('wide plain gpu')
    expect(starts(only('urgency', { urgency: { slots: 1000, gpus: 2000 } }), jobs, machine)).toBe('gpu wide plain') // 9,000; 7,000; 6,000
    expect(starts(only('urgency', { weight_waiting_time: 1500 }), jobs, machine)).toBe('plain wide gpu') // 1 s more is worth 1.5 slots
  })

  it('takes the resource called slots for slots, wherever it stands', () => {
    const jobs = [rigid('plain', 5, { submit: 1, demand: { mem: 900, slots: 5 } }), rigid('wide', 7, { submit: 1, demand: { mem: 1, slots: 7 } })]
    expect(starts(only('urgency'), jobs, { mem: 1000, slots: 8 })).toBe('wide plain')
  })

  it('counts what a job asks in each lane by itself', () => {
    // the first two hold both map slots; both asks 1 map and 4 reduces, wide 2 maps and goes first in the lane of maps
    const stage = (name: string, amount: number, duration = 10) => ({ name, tasks: 1, demand: { [name]: amount }, duration })
    const jobs: JobSpec[] = [
      { id: 'first', submit: 0, stages: [stage('map', 2, 100), stage('reduce', 4, 100)] },
      { id: 'both', submit: 1, stages: [stage('map', 1), stage('reduce', 4)] },
      { id: 'wide', submit: 1, stages: [stage('map', 2)] },
    ]
    const { launches } = run({ policy: strict(gridEngine(only('urgency', { urgency: { map: 1, reduce: 1 } }))), jobs, cluster: instantCluster({ nodes: [{ count: 1, slots: { map: 2, reduce: 4 } }] }) }).recorder
    expect(launches.filter(({ time }) => time >= 100).map(({ job: id, stage: at, time }) => `${id}.${at} ${time}`)).toEqual(['wide.0 100', 'both.1 100', 'both.0 110'])
  })

  it('counts the seconds until a job must start to meet its deadline', () => {
    const jobs = [whole('a'), whole('late', { deadline: 500, estimate: 10 }), whole('soon', { deadline: 500, estimate: 300 })]
    expect(starts(only('urgency', { weight_deadline: 1 }), jobs)).toBe('soon late a')
    expect(starts(only('urgency', { weight_deadline: 0 }), jobs)).toBe('a late soon')
  })

  it('gives users turns by their shares in a pass, and nothing for what has ended', () => {
    const jobs = ['a1', 'a2', 'a3', 'b1', 'b2'].map((id) => rigid(id, 1, { submit: 1, user: id.startsWith('a') ? 'ann' : 'bob' }))
    expect(starts(only('ticket', { users: { ann: 200, bob: 100 } }), jobs)).toBe('a1 a2 b1 a3 b2') // 2/1, 2/2 = 1/1, 2/3, 1/2
    expect(starts(only('ticket', { users: { ann: 100, bob: 200 } }), jobs)).toBe('b1 a1 b2 a2 a3')
    expect(starts(only('ticket'), jobs)).toBe('a1 a2 a3 b1 b2')
    expect(starts(only('ticket', { users: { ann: 200, bob: 100 } }), jobs.map(({ id, user }) => whole(id, { user: user as string })))).toBe('a1 a2 a3 b1 b2') // one at a time
  })

  it('divides tickets by project as well', () => {
    const jobs = ['a1', 'a2', 'b1'].map((id) => whole(id, { user: id, account: id.startsWith('a') ? 'bio' : 'physics' }))
    expect(starts(only('ticket', { projects: { physics: 300, bio: 100 } }), jobs)).toBe('b1 a1 a2')
    expect(starts(only('ticket', { projects: { physics: 300, bio: 100 }, users: { a2: 900, b1: 1 }, weight_user: 0.9, weight_project: 0.1 }), jobs)).toBe('a2 b1 a1')
  })

  it('counts running jobs of a user, and keeps the place of a job that is passed over', () => {
    // ann runs r. Of 100 shares each she would have 1/2 for wide, 1/3 for a; bob 1 and 1/2: b1, wide, b2, a. wide has no room, 3 slots are free for two
    const jobs = [rigid('r', 5, { user: 'ann', duration: 50 }), rigid('wide', 4, { submit: 1, user: 'ann' }), rigid('a', 1, { submit: 1, user: 'ann' }), rigid('b1', 1, { submit: 1, user: 'bob' }), rigid('b2', 2, { submit: 1, user: 'bob' })]
    const at = run({ policy: greedy(gridEngine(only('ticket', { users: { ann: 100, bob: 100 } }))), jobs, cluster: instantCluster({ nodes: [{ count: 1, resources: { slots: 8 } }] }) })
      .recorder.launches.map((launch) => `${launch.job} ${launch.time}`)
    expect(at).toEqual(['r 0', 'b1 1', 'b2 1', 'a 11', 'wide 50'])
  })

  it('serves those first who have used little for their shares in the share tree', () => {
    // until 1000 ann has used 5 x 1000 slot-seconds of 3/4 of the shares, bob 3 x 500 of 1/4: worth 9/5000 and 1/1500, of both 0.73 and 0.27
    const past = [rigid('pa', 5, { user: 'ann', duration: 1000 }), rigid('pb', 3, { user: 'bob', duration: 500 }), rigid('x', 3, { submit: 500, duration: 500, user: 'cat' })]
    const now = ['a1', 'a2', 'a3', 'b1', 'b2'].map((id) => rigid(id, 1, { submit: 501, user: id.startsWith('a') ? 'ann' : 'bob' }))
    const order = (share_tree: GridEngineOptions['share_tree']) =>
      run({ policy: strict(gridEngine(only('ticket', { share_tree: { halftime: 0, ...share_tree } }))), jobs: [...past, ...now], cluster: instantCluster({ nodes: [{ count: 1, resources: { slots: 8 } }] }) })
        .recorder.launches.slice(3).map((launch) => launch.job).join(' ')
    expect(order({ users: { ann: 3, bob: 1 } })).toBe('a1 a2 b1 a3 b2') // 0.73, 0.36, 0.27, 0.24, 0.13
    expect(order({ users: { ann: 1, bob: 1 } })).toBe('b1 b2 a1 a2 a3') // 0.23 and 0.77: 0.77, 0.38, 0.23
    expect(order({ default: 1 })).toBe('b1 b2 a1 a2 a3')
    expect(order({})).toBe('a1 a2 a3 b1 b2')
    // 360 s back counts half: 9/2218 and 1/368, of both 0.6 and 0.4
    expect(order({ users: { ann: 3, bob: 1 }, halftime: 0.1 })).toMatch(/^a1 b1 a2 /)
  })

  it('refuses functional shares beside a share tree', () => {
    expect(() => starts({ users: { ann: 1 }, share_tree: {} }, [whole('a')])).toThrow('there are functional shares (users, projects) beside a share tree.')
  })

  it('refuses urgencies of resources that are not there', () => {
    expect(() => starts({ urgency: { gpu: 1 } }, [whole('a')])).toThrow(/the cluster has no resource "gpu"/)
  })

  it('obeys the laws of policies', { tags: 'long' }, () => {
    const options: GridEngineOptions = { weight_ticket: 1, weight_waiting_time: 3, users: { u0: 3, u1: 1 } }
    expect(checkPolicyLaws(() => greedy(gridEngine(options), firstNode()), { runs: 30 }).launches).toBeGreaterThan(150)
    expect(checkPolicyLaws(() => greedy(gridEngine({ weight_ticket: 1, urgency: {}, share_tree: { default: 1 } }), firstNode()), { runs: 30 }).launches).toBeGreaterThan(150)
    expect(checkPolicyLaws(() => easy(gridEngine(options)), { runs: 60, seed: 3, worlds: { gangs: true, outages: true, failures: true }, skip: { reservations: 'jobs outlive their estimates' } }).launches).toBeGreaterThan(150)
  })
})

describe('share tree tickets', () => {
  const of = (...jobs: [user: number, slots: number][]): TicketJob[] => jobs.map(([user, slots]) => ({ user, project: -1, slots }))
  const rounded = (tickets: Float64Array) => [...tickets].map((each) => Number(each.toFixed(4)))

  it('divide what a user is entitled to among running jobs, and by the slots before each waiting one', () => {
    // worth 4/40 and 1/10 of two users: 1/2 each. User 0 runs jobs of 1 and 2 slots: 1/4 each; then 1/2 over 1 + 3 and 1 + 3 + 12. User 1: 1/2 / 1
    const users = [{ shares: 2, usage: 40 }, { shares: 1, usage: 10 }, { shares: 5, usage: 0 }]
    expect(rounded(shareTreeTickets(of([0, 1], [0, 2]), of([0, 12], [1, 4], [0, 1]), users, 0))).toEqual([0.5, 0.5, 0.125, 0.5, 0.0313])
  })

  it('hold back who would catch up too fast', () => {
    // 1/1000 and 1/1: 0.001 and 0.999 of all, with half the shares each; at most 1.2 x 1/2: 1 x 0.6 / 0.999 = 0.6006 of 0.6016
    const users = [{ shares: 1, usage: 1000 }, { shares: 1, usage: 1 }]
    expect(rounded(shareTreeTickets([], of([0, 1], [1, 1]), users, 1.2))).toEqual([0.0017, 0.9983])
    expect(rounded(shareTreeTickets([], of([0, 1], [1, 1]), users, 0))).toEqual([0.001, 0.999])
    expect(rounded(shareTreeTickets([], of([0, 1], [1, 1]), [{ shares: 0, usage: 0 }, { shares: 1, usage: 0 }], 5))).toEqual([0, 1])
  })
})

describe('functional tickets', () => {
  const users = (shares: readonly number[]): FunctionalShares => ({ users: shares, projects: [], userPart: 1, projectPart: 0 })
  const of = (...numbers: number[]): TicketJob[] => numbers.map((user) => ({ user, project: -1, slots: 1 }))

  it('are shares over the jobs that run, and over one more for each job that waits before', () => {
    // user 0 runs 3 jobs and user 1 one, of 400 and 100 shares; those that wait are taken as 0: 4/5/4, 0: 4/5/5, 1: 1/5/2
    const tickets = functionalTickets(of(0, 0, 1, 0), of(1, 0, 0), users([400, 100]))
    expect([...tickets].map((each) => Number(each.toFixed(4)))).toEqual([0.2667, 0.2667, 0.2, 0.2667, 0.1, 0.2, 0.16])
  })

  it('are those of a search that tries every waiting job at every step, with more users or more projects', () => {
    const jobs = fc.array(fc.record({ user: fc.nat({ max: 3 }), project: fc.integer({ min: -1, max: 2 }), slots: fc.constant(1) }), { maxLength: 12 })
    const shares = fc.record({ users: fc.array(fc.nat({ max: 9 }), { minLength: 4, maxLength: 4 }), projects: fc.array(fc.nat({ max: 9 }), { minLength: 3, maxLength: 6 }), userPart: fc.constantFrom(0, 0.25, 0.5, 1) })
    fc.assert(fc.property(jobs, jobs, shares, (running, waiting, { userPart, ...rest }) => {
      const all = { ...rest, userPart, projectPart: 1 - userPart }
      const found = functionalTickets(running, waiting, all)
      expect([...found.subarray(running.length)]).toEqual(searched(running, waiting, all))
    }), { seed: 21, numRuns: 600 })
  })
})

/** Tickets of the waiting jobs, by trying all of them at every step and counting everything anew. */
function searched(running: readonly TicketJob[], waiting: readonly TicketJob[], { users, projects, userPart, projectPart }: FunctionalShares): number[] {
  const taken: TicketJob[] = [...running]
  const tickets = waiting.map(() => NaN)
  const part = (shares: readonly number[], key: 'user' | 'project', sharer: number, more: number, least: number) => {
    const active = [...new Set(taken.map((each) => each[key]))].filter((each) => each >= 0)
    const sum = active.reduce((total, each) => total + (shares[each] as number), 0)
    const count = taken.filter((each) => each[key] === sharer).length + more
    return sharer < 0 || sum + least === 0 ? 0 : (shares[sharer] as number) / count / (sum + least)
  }
  const worth = ({ user, project }: TicketJob, more: number, least: number) => part(users, 'user', user, more, least) * userPart + part(projects, 'project', project, more, least) * projectPart
  for (let left = waiting.length; left > 0; left--) {
    const [best = -1] = waiting.map((_, i) => i).filter((i) => Number.isNaN(tickets[i])).sort((a, b) => worth(waiting[b] as TicketJob, 1, 0.001) - worth(waiting[a] as TicketJob, 1, 0.001) || a - b)
    taken.push(waiting[best] as TicketJob)
    tickets[best] = worth(waiting[best] as TicketJob, 0, 0)
  }
  return tickets
}
