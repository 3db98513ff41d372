/**
 * A reason why the platform cannot start, which the person at the terminal can fix. The message is
 * one or two plain sentences: what is wrong and what to do next. It is printed without a stack, and
 * the process ends with code 1.
 */
export class StartError extends Error {
  override readonly name = 'StartError'
}
