import { quantile } from '@sched/metrics'
import { measure, type Experiment, type Findings } from '../claim.js'
import { deviation, mean } from '../estimate.js'
import { above, below, range } from '../range.js'
import { mapped } from '../mapped.js'
import type { Limit, Sized } from './map-reduce-run.js'
import { markdownTable } from '../markdown-table.js'
import { LIGHT, lightHorizon, overValues, shortNumber } from './sweep.js'

const clusters = ['A', 'C', 'D'] as const
type Cluster = (typeof clusters)[number]
const limits: Readonly<Record<string, Limit>> = {
  'as requested': 'as-requested',
  'max-parallelism': 'max-parallelism',
  'relative size': 'relative-size',
  'global cap 60%': 'global-cap',
}
const names = Object.keys(limits)

/** Opportunistic sizes of MapReduce jobs: figures 15 and 16. */
export const mapReduce: Experiment = {
  title: 'A MapReduce scheduler that uses idle resources (figures 15 and 16)',
  setup: [
    'Omega with a batch, a service and a MapReduce scheduler on the stand-ins for clusters A, C and D. A fifth of the batch jobs are MapReduce jobs: 5, 11, 200 or ' +
      '1,000 workers are asked for; maps per worker are log-normal with median 2, reduces with median 0.5. These shapes are our choice, so shares and percentiles ' +
      'show how the policies compare and not how Google\'s jobs are distributed.',
    '45 minutes are simulated. The MapReduce scheduler is the policy `mapreduce`; its workers go through transactions like any others, and those that started run as long as the ' +
      'speed-up model says. A speed-up is that of a job of which all workers have started. Utilisation is that of the CPUs, looked at by then.',
  ],
  claims: [
    {
      id: 'OM-F15-share', class: 'R', published: '50-70%',
      measures: clusters.map((cluster) => measure(`MapReduce jobs that gain, max-parallelism, ${cluster}`, 'share', range(0.4, 0.8))),
      why: 'the share is that of jobs with more activities than workers, which our choice of shapes sets',
    },
    {
      id: 'OM-F15-p80', class: 'R', published: '3-4x',
      measures: clusters.map((cluster) => measure(`80th percentile of the speed-up, max-parallelism, ${cluster}`, 'ratio', range(2, 6))),
      why: 'it follows from our choice of maps per worker',
    },
    {
      id: 'OM-F15-rel', class: 'R', published: 'clear gains, at most 4x',
      measures: [
        ...clusters.map((cluster) => measure(`80th percentile of the speed-up, relative size, ${cluster}`, 'ratio', range(1.2, 4))),
        ...clusters.map((cluster) => measure(`largest speed-up, relative size, ${cluster}`, 'ratio', range(1, 4.0000001))),
      ],
    },
    {
      id: 'OM-F15-cap', class: 'R', published: 'nearly max-parallelism on D, little or nothing on A and C',
      measures: [
        measure('mean speed-up beyond 1, cap / max-parallelism, D', 'ratio', range(0.7, 1)),
        ...(['A', 'C'] as const).map((cluster) => measure(`mean speed-up beyond 1, cap / max-parallelism, ${cluster}`, 'ratio', below(0.3))),
      ],
      why: 'the stand-ins of A and C are filled to 60%, the cap itself, so that they are below it part of the time',
    },
    {
      id: 'OM-F16', class: 'R', published: 'utilisation varies more under max-parallelism',
      measures: [measure('standard deviation of utilisation, max-parallelism / as requested, C', 'ratio', above(1))],
    },
  ],
  run(trials): Findings {
    const settings = clusters.flatMap((cluster) => names.map((name) => ({ cluster, name })))
    const inputs = settings.flatMap(({ cluster, name }) => trials.map(({ seed, validate, quick = false }) =>
      ({ cluster, limit: limits[name] as Limit, scale: LIGHT, seed, validate, horizon: quick ? lightHorizon / 6 : lightHorizon })))
    const runs = mapped(trials[0]?.threads, 'map-reduce', inputs)
    const results = new Map(settings.map(({ cluster, name }, i) => [`${cluster} ${name}`, runs.slice(i * trials.length, (i + 1) * trials.length)] as const))
    const each = (cluster: Cluster, name: string, figure: (jobs: readonly Sized[]) => number) => (results.get(`${cluster} ${name}`) ?? []).map(figure)
    const over = (cluster: Cluster, name: string, figure: (jobs: readonly Sized[]) => number) => overValues(each(cluster, name, figure))
    const ratio = (cluster: Cluster, a: string, b: string, figure: (jobs: readonly Sized[]) => number) => {
      const other = each(cluster, b, figure)
      return overValues(each(cluster, a, figure).map((value, i) => value / (other[i] as number)))
    }
    const average = (cluster: Cluster, name: string, figure: (jobs: readonly Sized[]) => number) => shortNumber(mean(each(cluster, name, figure)))
    return {
      byId: {
        'OM-F15-share': clusters.map((cluster) => over(cluster, 'max-parallelism', gaining)),
        'OM-F15-p80': clusters.map((cluster) => over(cluster, 'max-parallelism', percentile80)),
        'OM-F15-rel': [...clusters.map((cluster) => over(cluster, 'relative size', percentile80)), ...clusters.map((cluster) => over(cluster, 'relative size', largest))],
        'OM-F15-cap': (['D', 'A', 'C'] as const).map((cluster) => ratio(cluster, 'global cap 60%', 'max-parallelism', gain)),
        'OM-F16': [ratio('C', 'max-parallelism', 'as requested', variation)],
      },
      tables: [markdownTable('Figures 15 and 16: speed-ups and utilisation', [
        'cluster', 'policy', 'jobs that gain', 'mean speed-up', '80th percentile', 'largest', 'mean utilisation', 'its standard deviation',
      ],
        clusters.flatMap((cluster) => names.map((name) => [
          cluster,
          name,
          ...[gaining, (jobs: readonly Sized[]) => gain(jobs) + 1, percentile80, largest, utilisation, variation].map((figure) =>
            average(cluster, name, figure)),
        ])))],
    }
  },
}

const speedUps = (jobs: readonly Sized[]): number[] => jobs.map((job) => job.speedUp)
const gaining = (jobs: readonly Sized[]): number => jobs.filter((job) => job.speedUp > 1).length / jobs.length
const gain = (jobs: readonly Sized[]): number => mean(speedUps(jobs)) - 1
const percentile80 = (jobs: readonly Sized[]): number => quantile(Float64Array.from(speedUps(jobs)).sort(), 0.8)
const largest = (jobs: readonly Sized[]): number => Math.max(...speedUps(jobs))
const utilisations = (jobs: readonly Sized[]): number[] => jobs.map((job) => job.utilisation)
const utilisation = (jobs: readonly Sized[]): number => mean(utilisations(jobs))
const variation = (jobs: readonly Sized[]): number => deviation(utilisations(jobs))
