export { forwarding } from '@sched/core'
