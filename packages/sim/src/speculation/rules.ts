import type { Attempts } from './attempts.js'
import { bad } from './checks.js'
import { Hadoop1Rule, type Hadoop1Speculation } from './hadoop1.js'
import { HadoopRule, type HadoopSpeculation } from './hadoop.js'
import { LateRule, type LateSpeculation } from './late.js'
import type { SpeculationRule } from './rule.js'
import { SparkRule, type SparkSpeculation } from './spark.js'

/** Copies of tasks that are slower than others of their stage: which rule makes them, and its limits. */
export type SpeculationOptions = HadoopSpeculation | Hadoop1Speculation | LateSpeculation | SparkSpeculation

/** The rule that options name. Throws `BAD_INPUT` for one that there is not, and for its invalid options. */
export function ruleOf(options: SpeculationOptions, attempts: Attempts): SpeculationRule {
  switch (options.rule) {
    case undefined:
    case 'hadoop':
      return new HadoopRule(options, attempts)
    case 'hadoop1':
      return new Hadoop1Rule(options, attempts)
    case 'late':
      return new LateRule(options, attempts)
    case 'spark':
      return new SparkRule(options, attempts)
    default:
      throw bad(`found the rule ${JSON.stringify((options as { rule: unknown }).rule)}.`, 'There are hadoop, hadoop1, late and spark.')
  }
}
