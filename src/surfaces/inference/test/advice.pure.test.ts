/** What the start says about an address or a key that no provider reads. */
import { expect, test } from 'vitest'
import { adviceOnProvider } from '../settings.ts'

const address = 'http://127.0.0.1:8000/v1'

test('an address or a key without a provider is noted, by name and without its value', () => {
  const [both = '', ...more] = adviceOnProvider({
    'inference.provider': 'none',
    'inference.base_url': address,
    'inference.api_key': 'sk-1',
  })
  expect(more).toEqual([])
  expect(both).toContain('INFERENCE_BASE_URL and INFERENCE_API_KEY')
  expect(both).toContain('INFERENCE_PROVIDER')
  expect(both).not.toContain('sk-1')
  const [one = ''] = adviceOnProvider({
    'inference.provider': 'none',
    'inference.base_url': null,
    'inference.api_key': 'sk-1',
  })
  expect(one).not.toContain('INFERENCE_BASE_URL')
})

test('nothing is noted where a provider reads them, or where there are none', () => {
  for (const provider of ['openai_compatible', 'none'])
    expect(
      adviceOnProvider({
        'inference.provider': provider,
        'inference.base_url': provider === 'none' ? null : address,
        'inference.api_key': null,
      }),
    ).toEqual([])
})
