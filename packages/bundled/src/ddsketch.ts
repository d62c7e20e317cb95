// The sketch of a distribution of which quantiles are read.
export { DDSketch } from '@datadog/sketches-js'
