import { application } from '../../tooling/tsup/index.js'

export default application({ main: 'src/main.ts', worker: 'src/threads/worker.ts' })
