import type { Trace } from '@sched/workload'
import { counted } from './number.js'

/** How many bad lines of a trace were left out, and the first of them; without a line feed at its end. */
export const skippedText = ({ skipped, counted: what = 'line', problems }: Trace['report']): string =>
  [`${counted(skipped, `bad ${what}`)} skipped, for example:`, ...problems.map((problem) => `  ${problem}`)].join('\n')
