/** What a shop beside ours has to do in the comparison. */

/** A product is named by its stock; a cart is ready to be ordered. */
export type Shop = {
  product(stock: number): Promise<string>
  cart(product: string): Promise<string>
  /** `ordered`, or why not. */
  order(cart: string): Promise<string>
}

export type Peer = {
  readonly name: string
  readonly folder: string
  prepare?(folder: string, environment: Readonly<Record<string, string>>): string
  arguments(folder: string, database: string, port: string): readonly string[]
  readonly health: string
  open(url: string, prepared: string): Promise<Shop>
}
