/** The platform with what a shop needs, and the storefront in `public/`. */
import { app } from 'dodeca'

/** The script of the payment provider, and that of the sandbox on this machine. */
const provider = 'https://js.stripe.com https://*.js.stripe.com http://127.0.0.1:*'

export default app({
  surfaces: ['uploads', 'notifications', 'payments', 'commerce'],
  public: {
    dir: './public/',
    csp: [
      "default-src 'self'",
      `script-src 'self' ${provider}`,
      `frame-src ${provider} https://hooks.stripe.com`,
      `connect-src 'self' ${provider} https://api.stripe.com`,
      "img-src 'self' data: https:",
      "object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    ].join('; '),
  },
})
