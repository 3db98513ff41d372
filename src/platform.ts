/** The platform with its twelve surfaces. */
import { composeApp } from './load-app.ts'

export const composition = await composeApp({})
