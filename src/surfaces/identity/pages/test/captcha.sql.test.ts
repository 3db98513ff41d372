/** The captcha of the account pages: a task in the form, and what the browser sends of it. */
import { createHash } from 'node:crypto'
import { solveChallenge } from 'altcha-lib'
import { afterAll, describe, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { openProductWorld, password, type ProductWorld } from '../../../../../test/product-world.ts'
import { openVisitor } from './visitor.ts'
