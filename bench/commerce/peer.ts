/** The interface of another shop in the comparison. */

/** The product is identified by its stock. The cart is ready to be ordered. */
export type Shop = {
  product(stock: number): Promise<string>
  cart(product: string): Promise<string>
  /** `ordered`, or the reason why not. */
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
