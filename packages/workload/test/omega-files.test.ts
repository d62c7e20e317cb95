import { describe, expect, it } from 'vitest'
import { jobsOf } from '../src/index.js'
import { omegaCellState, omegaFiles } from '../src/node/index.js'
import { realTrace } from './traces.js'

const file = (name: string) => realTrace(`google-omega-sim/${name}`)
const example = file('example_csizes_cmb.log')

describe(`the authors' example files: ${example.title}`, () => {
  it.skipIf(!example.there)('give jobs of both classes, none larger than the files have', () => {
    const path = (quantity: string) => file(`example_${quantity}_cmb.log`).path
    const jobs = [...jobsOf(omegaFiles({ interarrival: path('interarrival'), csizes: path('csizes'), runtimes: path('runtimes'), horizon: 2000 }))]
    expect(new Set(jobs.map((job) => job.class))).toEqual(new Set(['batch', 'service']))
    expect(Math.max(...jobs.map((job) => job.stages[0]!.tasks))).toBeLessThanOrEqual(1600)
  })

  it.skipIf(!example.there)('hold three running jobs, two of which end in the window', () => {
    expect(omegaCellState(file('example-init-cluster-state.log').path)).toMatchObject([
      { id: '049475829738997701', class: 'service', tasks: 1, demand: { cpu: 170, mem: 500 }, end: Infinity },
      { id: '610339428128088085', class: 'batch', tasks: 1, demand: { cpu: 1, mem: 10 }, end: 6.844149 },
      { id: '856292140335049805', class: 'batch', tasks: 1000, demand: { cpu: 1, mem: 1025 }, end: 8.921186 }, // 0.1 CPU over 1,000 tasks
    ])
  })
})
