export { EventKind, EventQueue } from './event-queue.js'
export { HeartbeatRing } from './heartbeat-ring.js'
export { runtimeModel, type RuntimeModel, type RuntimeOptions, type Start } from './runtime.js'
export { simulate, Simulation, type RunState, type SimulationOptions } from './simulation.js'
