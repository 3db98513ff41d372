/**
 * What the test files of one worker share: opened by the first file that asks for it, and open until
 * the worker ends. Its databases are dropped and its folders removed at the end of the run
 * (test/global-setup.ts), because workers are ended without a hook.
 */
const opened = new Map<string, Promise<unknown>>()

export function shared<T>(name: string, open: () => Promise<T>): Promise<T> {
  const known = opened.get(name) as Promise<T> | undefined
  if (known) return known
  const opening = open()
  opened.set(name, opening)
  return opening
}

/** After a test that moved a clock of this process: what is open would wait until that time. */
export function forgetShared(): void {
  opened.clear()
}
