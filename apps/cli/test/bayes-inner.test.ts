// @module-tag long
import { buildCluster, readCluster } from '@sched/cluster'
import { resolve, SchedError, type JobSpec } from '@sched/core'
import { bayesComm, trainBayes, type BayesModel, type Plan } from '@sched/placement'
import { Simulation } from '@sched/sim'
import { workloadOf } from '@sched/workload'
import { describe, expect, it } from 'vitest'
import { builtIns } from '../src/registry.js'

const registry = builtIns()
const needed: Readonly<Record<string, object>> = { 'skip-delay': { skips: 5 } }
const JOBS = 10

/** Moves every job. */
const plan: Plan = [[1, 1], [1, 1], [1, 1]]
const trained = trainBayes([{ plan, isActive: true }, { plan, isActive: false }], { kind: 'bernoulli' })
const model = { ...trained, classes: { C0: { ...trained.classes.C0, prior: 0.001 }, C1: { ...trained.classes.C1, prior: 0.999 } } } as BayesModel

/** Slots under heartbeats, and resources of unlike tasks that fill nodes unevenly. */
const worlds = {
  slots: { shape: { slots: { map: 2, reduce: 1 } }, heartbeat: { interval: 3 }, map: () => ({ map: 1 }), reduce: () => ({ reduce: 1 }) },
  resources: { shape: { resources: { cpu: 4, memory: 8 } }, heartbeat: undefined, map: (i: number) => ({ cpu: 1 + (i % 3), memory: 1 + ((i * 3) % 7) }), reduce: (i: number) => ({ cpu: 1, memory: 1 + (i % 8) }) },
}

function jobsOf({ map, reduce }: (typeof worlds)[keyof typeof worlds]): JobSpec[] {
  return Array.from({ length: JOBS }, (_, i): JobSpec => {
    const maps = { name: 'map', tasks: 1 + ((i * 5) % 13), demand: map(i), duration: 4 + ((i * 7) % 30), data: {} }
    const reduces = { name: 'reduce', tasks: 1 + (i % 4), demand: reduce(i), duration: 5, after: [{ stage: 0, fraction: 0.05 }] }
    return { id: `job${i}`, submit: i * 2, user: `user${i % 3}`, class: i % 5 === 0 ? 'service' : 'batch', estimate: 60, stages: [maps, reduces] }
  })
}

describe.each(Object.entries(worlds))('bayes-comm on %s', (_, world) => {
  it.each(registry.names('policy').filter((name) => name !== 'bayes-comm'))('moves all jobs of %s to the end, in every architecture, or says why not', (name) => {
    for (const architecture of registry.names('architecture')) {
      let finished = 0
      const policy = bayesComm(resolve(registry, 'policy', { [name]: needed[name] ?? {} }), { model })
      const simulate = () => {
        const cluster = buildCluster(readCluster({ nodes: 6, racks: 3, ...world.shape, ...(world.heartbeat !== undefined && { heartbeat: world.heartbeat }) }))
        const options = { cluster, workload: workloadOf('jobs', jobsOf(world)), policy, architecture: resolve(registry, 'architecture', architecture), validate: true, observers: [{ onJobEnd: () => void finished++ }] }
        return new Simulation(options).advance(100_000)
      }
      try {
        expect({ architecture, state: simulate(), finished }).toEqual({ architecture, state: 'done', finished: JOBS })
      } catch (error) {
        if (!(error instanceof SchedError) || error.place.field !== 'bayes-comm.policy') throw error
        expect(error.message).toContain('promises jobs when they start')
        expect(['conservative', 'easy', 'fattened', 'replan', 'slurm-preempting']).toContain(name)
      }
    }
  })
})
