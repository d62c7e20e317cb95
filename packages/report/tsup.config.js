import { library } from '../../tooling/tsup/index.js'

export default library({ index: 'src/index.ts', 'charts/index': 'src/charts/index.ts' })
