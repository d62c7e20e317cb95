import { library } from '../../tooling/tsup/index.js'

export default library({ index: 'src/index.ts' })
