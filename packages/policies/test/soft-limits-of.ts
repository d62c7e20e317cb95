import type { PbsLevelsOptions, PbsPreemptingOptions } from '@sched/policies'

type Limits = NonNullable<PbsPreemptingOptions['server']>

const soft = <Of extends Limits>({ max_run: _jobs, max_run_res: _amounts, ...others }: Of): Omit<Of, 'max_run' | 'max_run_res'> => others

/** The options of `pbs-levels` that go with those of `pbs-preempting`: the same levels, without the hard limits, which decide no level. */
export const softOf = <Of extends Pick<PbsPreemptingOptions, 'server' | 'queues'>>({ server = {}, queues = {}, ...others }: Of): Omit<Of, 'server' | 'queues'> & Pick<PbsLevelsOptions, 'server' | 'queues'> =>
  ({ ...others, server: soft(server), queues: Object.fromEntries(Object.entries(queues).map(([name, limits]) => [name, soft(limits)])) })
