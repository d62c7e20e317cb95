import type { ClusterDescription } from '@sched/cluster'
import type { ClusterView, NodeId, Observer, StageSpec } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { exact, job, prepare, run, stage } from './world.js'

const node = (hardware: Record<string, number>, slots = 8, more: object = {}): ClusterDescription => ({ nodes: [{ count: 1, slots: { slot: slots }, hardware, ...more }] })
const jobOf = (id: string, change: Partial<StageSpec>, submit = 0) => job(id, { submit, stages: [stage(change)] })

describe('tasks that share the hardware of a node', () => {
  it('take their time while there is enough for all', () => {
    const log = run([jobOf('a', { tasks: 4, duration: 10, use: { cores: 1 } })], { cluster: node({ cores: 4 }) })
    expect(log.ends).toEqual({ a: 10 })
  })

  it('use one core each where they do not say, and are slower by as much as there are too few', () => {
    // six tasks on four cores: 6 / 4 times as long
    expect(run([jobOf('a', { tasks: 6, duration: 10 })], { cluster: node({ cores: 4 }) }).ends).toEqual({ a: 15 })
  })

  it('speed up when others end', () => {
    // two tasks on one core, of 4 s and 10 s: both at half speed until 8; the other has 6 s of work left
    const log = run([jobOf('short', { duration: 4 }), jobOf('long', { duration: 10 })], { cluster: node({ cores: 1 }) })
    expect(log.ends).toEqual({ short: 8, long: 14 })
  })

  it('slow down when others come', () => {
    // 5 s alone, then at half speed: the first has 5 s of work left, the newcomer 10 s of which 5 are done by then
    const log = run([jobOf('first', { duration: 10 }), jobOf('next', { duration: 10 }, 5)], { cluster: node({ cores: 1 }) })
    expect(log.ends).toEqual({ first: 15, next: 20 })
  })

  it('are slowed in proportion to what they use of each kind', () => {
    // disks: 4 x 0.5 used of 1, so disk work takes twice as long: (0.5 + 0.5 x 2) / (0.5 + 0.5) = 1.5; cores suffice
    const mixed = jobOf('mixed', { tasks: 4, duration: 10, use: { cores: 0.5, disks: 0.5 } })
    expect(run([mixed], { cluster: node({ cores: 4, disks: 1 }) }).ends).toEqual({ mixed: 15 })
    // on disks of double speed the disk half takes as long as alone on a nominal one
    expect(run([mixed], { cluster: node({ cores: 4, disks: 1 }, 8, { speeds: { disks: 2 } }) }).ends).toEqual({ mixed: 10 })
  })

  it('are not slowed by memory, which is held and not shared in time', () => {
    expect(run([jobOf('a', { tasks: 4, use: { cores: 0.5, memory: 8 } })], { cluster: node({ cores: 4, memory: 16 }) }).ends).toEqual({ a: 10 })
  })

  it('know of each kind its speed: processing on faster cores ends earlier, the work of disks does not', () => {
    const cluster = node({ cores: 4, disks: 4 }, 8, { speeds: { cores: 2 } })
    expect(run([jobOf('cpu', { use: { cores: 1 } })], { cluster }).ends).toEqual({ cpu: 5 })
    expect(run([jobOf('io', { use: { disks: 1 } })], { cluster }).ends).toEqual({ io: 10 })
  })

  it('keep their own pace where contention is off; what they use is known all the same', () => {
    const seen: number[][] = []
    let view: ClusterView | undefined
    const look: Observer = {
      onRunStart: ({ cluster }) => void (view = cluster),
      onTaskStart: () => void seen.push([view!.hardware.use(0 as NodeId, 0), view!.hardware.runnable(0 as NodeId)]),
    }
    const log = run([jobOf('a', { tasks: 3, use: { cores: 2 } })], { cluster: node({ cores: 4 }), runtime: { ...exact, contention: false }, observers: [look] })
    expect(log.ends).toEqual({ a: 10 })
    expect(seen).toEqual([[2, 1], [4, 2], [6, 3]])
    expect(view?.hardware.use(0 as NodeId, 0)).toBe(0)
  })

  it('stop when they stop, although a heartbeat tells of it later: the others are faster at once', () => {
    const cluster = { ...node({ cores: 1 }), heartbeat: { interval: 3, stagger: false } }
    const { log, simulation } = prepare([jobOf('short', { duration: 4 }), jobOf('long', { duration: 10 })], { cluster })
    simulation.run()
    const stops = log.lines.filter((line) => line.includes('done'))
    // starts at the first heartbeat; 8 s and 14 s later as above, known at the next heartbeat
    const started = Number(log.starts()[0]?.split(' ')[0])
    expect(stops.map((line) => Number(/stopped at ([\d.]+)/.exec(line)?.[1] ?? line.split(' ')[0]) - started)).toEqual([8, 14])
  })
})
