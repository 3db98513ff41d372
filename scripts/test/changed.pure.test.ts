/** Which tests a change touches: by imports, but not from one surface to another through the composition. */
import { expect, test } from 'vitest'
import { treeOf } from '../../test/architecture/tree.ts'
import { touched } from '../changed.ts'

const tree = treeOf(
  Object.entries({
    'src/platform.ts': `import './surfaces/links/surface.ts'; import './surfaces/jobs/surface.ts'`,
    'src/surfaces/links/surface.ts': `import './shorten.ts'; import type { A } from './types.ts'`,
    'src/surfaces/links/shorten.ts': `import '../../kernel/ids.ts'`,
    'src/surfaces/links/types.ts': '',
    'src/surfaces/jobs/surface.ts': '',
    'src/kernel/ids.ts': '',
    'src/surfaces/links/test/shorten.sql.test.ts': `import '../../../../test/world.ts'`,
    'src/surfaces/links/test/words.pure.test.ts': `import '../types.ts'`,
    'src/surfaces/jobs/test/jobs.sql.test.ts': `import '../../../../test/world.ts'`,
    'test/world.ts': `import '../src/platform.ts'`,
    'test/crawler.test.ts': `import './world.ts'`,
    'test/docs.test.ts': '',
  }).map(([path, text]) => ({ path, text })),
)
const links = 'src/surfaces/links/test/shorten.sql.test.ts'
const words = 'src/surfaces/links/test/words.pure.test.ts'
const jobs = 'src/surfaces/jobs/test/jobs.sql.test.ts'
const crawler = 'test/crawler.test.ts'

test.each([
  ['a use case', 'src/surfaces/links/shorten.ts', [links, crawler]],
  ['what is imported as a type only', 'src/surfaces/links/types.ts', [words]],
  ['the kernel', 'src/kernel/ids.ts', [links, jobs, crawler]],
  ['a test', words, [words]],
  ['a migration of a surface', 'src/surfaces/links/migrations/0001-a.sql', [links, words]],
  ['a document', 'docs/links.md', ['test/docs.test.ts']],
  ['what no test sees', 'README.md', []],
  ['the packages', 'package.json', [links, words, jobs, crawler, 'test/docs.test.ts']],
])('a change of %s', (_what, path, expected) => {
  expect(touched(tree, [path]).toSorted()).toEqual(expected.toSorted())
})
