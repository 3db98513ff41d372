/** The platform with its twelve surfaces. */
import { composeApp } from './compose-app.ts'

export const composition = await composeApp({})
