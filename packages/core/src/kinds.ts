import type { Metric, MetricEnv } from './metric.js'
import type { Architecture, ArchitectureEnv } from './architecture.js'
import type { Env, Order, Placement, Policy } from './plugs.js'
import type { GeneratedWorkload, GeneratorEnv, LineParser, LinePlace } from './traces.js'

/** The kinds of plugs: the environment each is built with, and the object it builds. */
export interface Kinds {
  /** Whose work goes next. */
  order: { env: Env; made: Order }
  /** An order under a discipline: whose work goes next, and whether it may go now. */
  policy: { env: Env; made: Policy }
  /** Where tasks run. */
  placement: { env: Env; made: Placement }
  /** Who decides, seeing what, and how decisions become real. */
  architecture: { env: ArchitectureEnv; made: Architecture }
  /** What is measured of a run. */
  metric: { env: MetricEnv; made: Metric }
  /** Jobs that are drawn. */
  generator: { env: GeneratorEnv; made: GeneratedWorkload }
  /** How jobs are read from a trace. */
  format: { env: LinePlace; made: LineParser }
}
/** A kind of plug. */
export type Kind = keyof Kinds
