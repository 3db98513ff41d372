/** Every rule, in the order of a request's way. */
import { access } from './rules/access.ts'
import { answers } from './rules/answers.ts'
import { bodies } from './rules/bodies.ts'
import { keys } from './rules/keys.ts'
import { lists } from './rules/lists.ts'
import { routing } from './rules/routing.ts'
import { things } from './rules/things.ts'
import type { Rule } from './rule.ts'

export const rules: readonly Rule[] = [
  ...routing,
  ...access,
  ...bodies,
  ...keys,
  ...things,
  ...lists,
  ...answers,
]
