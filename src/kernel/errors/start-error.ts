/**
 * A reason why the platform cannot start and that a person at the terminal can fix. The message is
 * one or two plain sentences about the fault and the next step. It is printed without a stack, and
 * the process ends with code 1.
 */
export class StartError extends Error {
  override readonly name = 'StartError'
}
