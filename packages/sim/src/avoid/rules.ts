import type { AvoidedNodes } from './avoided-nodes.js'
import { bad } from './checks.js'
import { DrainRule, type DrainAvoid } from './drain.js'
import type { DrainedNodes } from './drained-nodes.js'
import { HadoopAvoidRule, type HadoopAvoid } from './hadoop.js'
import { Hadoop1AvoidRule, type Hadoop1Avoid } from './hadoop1.js'
import type { AvoidRule } from './rule.js'
import { SparkAvoidRule, type SparkAvoid } from './spark.js'

/** Which nodes are avoided after tasks have failed there: by which rule, and its limits. */
export type AvoidOptions = HadoopAvoid | Hadoop1Avoid | SparkAvoid | DrainAvoid

/** Whether a job of which a task would have no node left avoids none instead. */
export const keepsSome = ({ rule }: AvoidOptions): boolean => rule !== 'spark'

/** The rule that options name. Throws `BAD_INPUT` for one that there is not, and for its invalid options. */
export function avoidRuleOf(options: AvoidOptions, avoided: AvoidedNodes, drained: DrainedNodes): AvoidRule {
  switch (options.rule) {
    case 'hadoop':
      return new HadoopAvoidRule(options, avoided)
    case 'hadoop1':
      return new Hadoop1AvoidRule(options, avoided, drained)
    case 'spark':
      return new SparkAvoidRule(options, avoided, drained.at)
    case 'drain':
      return new DrainRule(options, drained)
    default:
      throw bad(`found the rule ${JSON.stringify((options as { rule: unknown }).rule)}.`, 'There are hadoop, hadoop1, spark and drain.')
  }
}
