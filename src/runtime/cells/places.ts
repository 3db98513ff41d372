/** Where tenants and paths were found; the least recently found is forgotten first. */
export class Places {
  readonly #cells: readonly string[]
  readonly #known = new Map<string, string>()
  readonly #max: number

  constructor(cells: readonly string[], max: number) {
    this.#cells = cells
    this.#max = max
  }

  /** All cells, the most probable one first. */
  orderFor(key: string): string[] {
    const known = this.#known.get(key)
    return known ? [known, ...this.#cells.filter(one => one !== known)] : [...this.#cells]
  }

  knows(key: string): boolean {
    return this.#known.has(key)
  }

  learn(key: string, cell: string): void {
    this.#known.delete(key)
    if (this.#known.size >= this.#max) {
      const [oldest] = this.#known.keys()
      if (oldest !== undefined) this.#known.delete(oldest)
    }
    this.#known.set(key, cell)
  }

  /** A cell that another one has named, if it is one of ours. */
  named(url: string | undefined): string | undefined {
    return this.#cells.find(one => one === url)
  }
}
