import { loadBenchmark } from '../benchmarks/index.js'
import { answer } from './answer.js'
import type { Request } from './messages.js'

// The process of one variant: answers the parent's requests until the parent disconnects.
const reply = answer(loadBenchmark)
process.on('message', (request: Request) => void reply(request).then((message) => process.send?.(message)))
