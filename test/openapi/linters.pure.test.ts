/** What two public linters recommend holds for the published document, its examples included. */
import { resolve } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'
import { expect, test } from 'vitest'
import { openApiText } from '../../scripts/openapi.ts'

const file = resolve(import.meta.dirname, '../../docs/openapi.json')
const text = await openApiText()

test('Redocly finds nothing', async () => {
  const config = await createConfig({
    extends: ['recommended'],
    rules: {
      // A fixed segment goes before a parameter, and the parameters in question are UUIDs.
      'no-ambiguous-paths': 'off',
      // The published server is where a clone answers after `npm start`.
      'no-server-example.com': 'off',
    },
  })
  const found = await lintFromString({ source: text, absoluteRef: file, config })
  expect(
    found.map(
      ({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer ?? ''}: ${message}`,
    ),
  ).toEqual([])
}, 60_000)

test('Spectral finds nothing', async () => {
  const linter = new spectral.Spectral()
  linter.setRuleset({ extends: [rulesets.oas as RulesetDefinition] })
  const found = await linter.run(JSON.parse(text) as Record<string, unknown>)
  // It takes data with the members `type` and `example` for a schema.
  const real = found.filter(({ path }) => !path.includes('examples'))
  expect(real.map(({ code, message, path }) => `${code} ${path.join('/')}: ${message}`)).toEqual([])
}, 60_000)
