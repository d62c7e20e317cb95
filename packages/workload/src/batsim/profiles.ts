import { knownWords, SchedError } from '@sched/core'
import type { Fields } from '../json/fields.js'

/** What a job with a profile does, as far as it is known without a network. */
export interface Work {
  /** Run time in seconds; -1 if the profile does not tell. */
  readonly time: number
  /** Whether it also sends or stores data. */
  readonly sends: boolean
}

type Kind = 'delay' | 'each' | 'total' | 'list' | 'sequence' | 'data'
/** Types of profiles by their names in Batsim 1 to 5 and in development versions in between. */
const kinds = knownWords<Kind>({
  delay: 'delay', DelayProfile: 'delay',
  ptask: 'list', ptask_homogeneous: 'each', sequential_composition: 'sequence', ptask_on_storage_homogeneous: 'data', ptask_data_staging_between_storages: 'data',
  msg_par_hg: 'each', parallel_homogeneous: 'each', ParallelTaskHomogeneousProfile: 'each',
  msg_par_hg_tot: 'total', parallel_homogeneous_total: 'total',
  msg_par: 'list', parallel: 'list', ParallelTaskProfile: 'list',
  composed: 'sequence', composed_prof: 'sequence', SequentialCompositionProfile: 'sequence',
  msg_par_hg_pfs: 'data', msg_par_hg_pfs0: 'data', msg_par_hg_pfs_tiers: 'data', msg_par_hg_tier: 'data', parallel_homogeneous_pfs: 'data', data_staging: 'data', ParallelTaskOnStorageHomogeneousProfile: 'data', ParallelTaskDataStagingBetweenStoragesProfile: 'data',
})

/** Whether the amount is the total of all hosts. */
const isSpread = (profile: Fields): boolean => ['DefinedAmountsSpreadUniformly', 'defined_amount_spread_uniformly'].includes(profile.text('generation_strategy') ?? '')

/** The profiles of a workload. */
export class Profiles {
  readonly #found = new Map<string, Work>()

  /** `speed`: speed of a host in flop/s, if known. */
  constructor(
    private readonly profiles: Fields,
    private readonly speed: number | undefined,
  ) {}

  /** What a job on `res` hosts does. Throws `BadLine` with the field, and `BAD_OPTION` if a profile computes and no speed is given. */
  work(name: string, res: number, around: readonly string[] = []): Work {
    const key = `${res} ${name}`
    const known = this.#found.get(key)
    if (known !== undefined) return known
    const profile = this.profiles.object(name)
    if (profile === undefined) throw this.profiles.bad(name, 'is missing, and a job has this profile.')
    if (around.includes(name)) throw this.profiles.bad(name, 'is a sequence that contains itself.')
    const work = this.#work(profile, name, res, [...around, name])
    this.#found.set(key, work)
    return work
  }

  #work(profile: Fields, name: string, res: number, around: readonly string[]): Work {
    const sends = (profile.has('com') && profile.most('com') > 0) || profile.has('bytes_to_read') || profile.has('bytes_to_write')
    switch (kinds[profile.text('type') ?? '']) {
      case 'delay': {
        const time = profile.number('delay')
        if (time === undefined) throw profile.bad('delay', 'is missing.')
        return { time, sends: false }
      }
      case 'each':
        return { time: this.#seconds(profile.most('cpu') / (isSpread(profile) ? res : 1), name), sends }
      case 'total':
        return { time: this.#seconds(profile.most('cpu') / res, name), sends }
      case 'list':
        return { time: this.#seconds(profile.most('cpu'), name), sends }
      case 'sequence': {
        const times = profile.whole('repeat') ?? profile.whole('nb') ?? 1
        const parts = profile.texts('seq').map((each) => this.work(each, res, around))
        const time = parts.some((part) => part.time < 0) ? -1 : times * parts.reduce((sum, part) => sum + part.time, 0)
        return { time, sends: parts.some((part) => part.sends) }
      }
      case 'data':
        return { time: 0, sends: true }
      default:
        return { time: -1, sends: false }
    }
  }

  #seconds(flop: number, name: string): number {
    if (flop === 0) return 0
    if (this.speed !== undefined) return flop / this.speed
    throw new SchedError(
      'BAD_OPTION',
      `profile "${name}" computes ${flop} flop, and nothing says how fast a host is.`,
      { field: 'batsim.speed' },
      'Give the speed of a host as in the platform file: speed=1Gf.',
    )
  }
}
