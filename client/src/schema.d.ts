/** The types of all operations; generate.ts writes this file. */
export interface paths {
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The addresses of the documentation
         * @description Returns the addresses of the reference, of this document and of the health check. Requires no credential.
         */
        get: operations["getRoot"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the public keys of access tokens
         * @description Verify access tokens with these keys. Read them again when a token names a key that you do not know. Requires no credential.
         */
        get: operations["getJwks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_objects/d/{file_id}/{variant}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The bytes of a file, by a URL that was signed
         * @description Requires no credential.
         */
        get: operations["downloadFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_objects/j/{result_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The bytes of a result, by an address that was signed
         * @description The address comes from `GET /v1/jobs/{job_id}/result-url` and works for a short time. Requires no credential.
         */
        get: operations["downloadJobResult"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_objects/u/{upload_id}/{part_number}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Send one part of an upload, by a URL that was signed
         * @description Requires no credential.
         */
        put: operations["sendUploadPart"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the process is alive
         * @description Returns 200 as long as the process runs, also while it drains. Requires no credential.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get metrics in the Prometheus text format
         * @description Requires no credential.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The OpenAPI 3.1 document of this platform
         * @description Requires no credential.
         */
        get: operations["getOpenApiDocument"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/problems": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List every code that a problem document can have
         * @description As `text/html` it is a page for people. Requires no credential.
         */
        get: operations["listProblems"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/problems/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what one code means
         * @description As `text/html` it is a page for people. The `type` of each problem document leads here. Requires no credential.
         */
        get: operations["getProblem"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the process should get work
         * @description A load balancer should send requests only to processes that return 200. Requires no credential.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List accounts of the tenant, newest first
         * @description Requires the permission `identity.accounts.read`; `tenant_admin`, `support_viewer`, `auditor` hold it.
         */
        get: operations["listAccounts"];
        put?: never;
        /**
         * Register
         * @description The reply is the same whether or not the address has an account. Requires no credential.
         */
        post: operations["registerAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/accounts/{account_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an account of the tenant, with its roles there
         * @description Requires the permission `identity.accounts.read`; `tenant_admin`, `support_viewer`, `auditor` hold it.
         */
        get: operations["getAccount"];
        put?: never;
        post?: never;
        /**
         * Erase your own account, or one of the tenant
         * @description Requires a recent authentication. All sessions end, and personal data is erased irrevocably. Requires a credential and no permission.
         */
        delete: operations["eraseAccount"];
        options?: never;
        head?: never;
        /**
         * Disable or enable an account
         * @description Disabling ends all sessions of the account at once; its API keys are no longer accepted. Requires the permission `identity.accounts.disable`; `tenant_admin` hold it.
         */
        patch: operations["updateAccount"];
        trace?: never;
    };
    "/v1/accounts/{account_id}/roles/{role_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Assign a role to an account
         * @description Requires the permission `identity.roles.assign`; `tenant_admin` hold it.
         */
        put: operations["assignRole"];
        post?: never;
        /**
         * Remove a role from an account
         * @description Requires the permission `identity.roles.assign`; `tenant_admin` hold it.
         */
        delete: operations["removeRole"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/accounts/{account_id}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the sessions of an account
         * @description Requires a credential and no permission.
         */
        get: operations["listAccountSessions"];
        put?: never;
        post?: never;
        /**
         * End all sessions of an account
         * @description Access tokens of these sessions stop working within a second. Requires a credential and no permission.
         */
        delete: operations["endAccountSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List my API keys, or those of another account
         * @description Requires a credential and no permission.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key; it is shown once
         * @description The key is in this reply only. It never holds more than its owner does at the time of a request. Requires a credential and no permission.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys/{api_key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description Requires a credential and no permission.
         */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/attachments/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin the upload of an attachment
         * @description Send the parts and complete the upload as with `POST /v1/uploads`, then send a message with the `attachment_id`. Until it is sent, only you can read the file. Requires a credential and no permission. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["startAttachment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List administrative acts, newest first
         * @description Requires the permission `kernel.audit_events.read`; `auditor` hold it.
         */
        get: operations["listAuditEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/carts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Own carts, newest first
         * @description Requires a credential and no permission.
         */
        get: operations["listCarts"];
        put?: never;
        /**
         * Open a cart
         * @description With an `id` of your own, a cart that is there is returned as it is. Requires a credential and no permission. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["openCart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/carts/{cart_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A cart with its totals of now
         * @description Requires a credential and no permission.
         */
        get: operations["getCart"];
        /**
         * Set the address, shipping method, currency and codes of a cart
         * @description What is left out stays. Totals are calculated again at each reading. Requires a credential and no permission.
         */
        put: operations["changeCart"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/carts/{cart_id}/items/{sku}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set how many of a SKU are in a cart
         * @description Any UUID is a cart: it is made where it is not there, in the currency of the shop. A quantity of 0 takes the SKU out. Requires a credential and no permission.
         */
        put: operations["setCartItem"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/checkouts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Order what is in a cart, and hold its money
         * @description Prices, discounts, tax, shipping and stock are calculated here; send `pricing_fingerprint` of the cart to order only at the totals that were shown. 202 says that the payment is not certain yet: read the order. The money is captured after the order is confirmed, never before. Requires a credential and no permission. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["checkOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/commerce/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Verify stock, orders and codes of the shop
         * @description Each check names up to 100 violations. A shop that is sound has none. Requires the permission `commerce.audits.read`; `shop_manager` hold it.
         */
        get: operations["auditCommerce"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/commerce/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How the shop calculates, takes money and accepts returns
         * @description Requires the permission `commerce.settings.write`; `shop_manager` hold it.
         */
        get: operations["getCommerceSettings"];
        /**
         * Set how the shop calculates, takes money and accepts returns
         * @description Requires the permission `commerce.settings.write`; `shop_manager` hold it.
         */
        put: operations["putCommerceSettings"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conversations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Own conversations, those with the latest message first
         * @description A conversation that gets a message while you page through the list moves to its beginning. Requires a credential and no permission.
         */
        get: operations["listConversations"];
        put?: never;
        /**
         * Create a group, or find or create a direct conversation
         * @description Two people have one direct conversation: when it exists, it is returned with 200. You are a member without naming yourself, and the owner of a group. Requires a credential and no permission. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["createConversation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conversations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A conversation
         * @description To those who left it stands as it stood when they left. Requires a credential and no permission.
         */
        get: operations["getConversation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Rename, close or open a group
         * @description Its owner and admins may. A closed group can be read, and takes no messages. Requires a credential and no permission.
         */
        patch: operations["changeConversation"];
        trace?: never;
    };
    "/v1/conversations/{id}/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Messages and members that changed since a revision
         * @description Each once and as it is now, so that ten edits are one message. A revision never expires: keep the last one you have seen, and come back with it whenever you are online again. Requires a credential and no permission.
         */
        get: operations["listConversationChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conversations/{id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Members of a conversation, in the order in which they joined
         * @description Requires a credential and no permission.
         */
        get: operations["listConversationMembers"];
        put?: never;
        /**
         * Add people to a group
         * @description All of them or none. They see messages from then on. Requires a credential and no permission. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["addConversationMembers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conversations/{id}/members/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Mute pushes of a conversation for oneself
         * @description Requires a credential and no permission.
         */
        patch: operations["muteConversation"];
        trace?: never;
    };
    "/v1/conversations/{id}/members/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a member, or leave with your own id
         * @description The owner removes everybody, admins remove members. When the owner leaves, the oldest admin becomes the owner, or else the oldest member. Requires a credential and no permission.
         */
        delete: operations["removeConversationMember"];
        options?: never;
        head?: never;
        /**
         * Change the role of a member
         * @description The owner may. Making somebody the owner makes you an admin. Requires a credential and no permission.
         */
        patch: operations["changeConversationMember"];
        trace?: never;
    };
    "/v1/conversations/{id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Messages of a conversation, newest first
         * @description `before` a sequence come older messages; `after` one come newer ones, oldest first. `next_before` and `next_after` continue by sequence where `next_cursor` does it by cursor. Requires a credential and no permission.
         */
        get: operations["listMessages"];
        put?: never;
        /**
         * Send a message
         * @description The key becomes `client_request_id` and counts for ever, here and on the socket: the same message under it is returned again, another one is refused. Requires a credential and no permission. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["sendMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conversations/{id}/messages/{message_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a message for everybody
         * @description The sender may, the owner and admins of a group, and holders of `chat.messages.moderate`. The text and its files are removed; the sequence stays. Requires a credential and no permission.
         */
        delete: operations["deleteMessage"];
        options?: never;
        head?: never;
        /**
         * Replace the text of your message
         * @description Requires a credential and no permission.
         */
        patch: operations["editMessage"];
        trace?: never;
    };
    "/v1/conversations/{id}/messages/{message_id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Earlier texts of a message, newest first
         * @description Requires a credential and no permission.
         */
        get: operations["listMessageVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conversations/{id}/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Say how far you have read
         * @description The number only rises; a lower one changes nothing. Requires a credential and no permission.
         */
        put: operations["markConversationRead"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deprecations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List operations that will be removed
         * @description Requires a credential and no permission.
         */
        get: operations["listDeprecations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Own devices, the last one seen first
         * @description Requires a credential and no permission.
         */
        get: operations["listDevices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/{device_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Register a device, with or without push
         * @description The device chooses a UUID and keeps it. The push token is not shown again; it belongs to the device that sent it last. Requires a credential and no permission.
         */
        put: operations["putDevice"];
        post?: never;
        /**
         * Remove a device
         * @description Requires a credential and no permission.
         */
        delete: operations["removeDevice"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/discounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The discounts of the shop, by name
         * @description Requires the permission `commerce.settings.write`; `shop_manager` hold it.
         */
        get: operations["getDiscounts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/discounts/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A discount
         * @description Requires the permission `commerce.settings.write`; `shop_manager` hold it.
         */
        get: operations["getDiscountsByCode"];
        /**
         * Set a discount as a whole
         * @description Orders keep what was calculated for them; carts are calculated again. Requires the permission `commerce.settings.write`; `shop_manager` hold it.
         */
        put: operations["putDiscountsByCode"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/disputes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Disputes of your payments, newest first
         * @description Requires the permission `payments.disputes.read`; `payments_finance`, `support_viewer` hold it.
         */
        get: operations["listDisputes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/disputes/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A dispute
         * @description Requires the permission `payments.disputes.read`; `payments_finance`, `support_viewer` hold it.
         */
        get: operations["getDispute"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/domains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * My domains, newest first
         * @description Requires the permission `links.domains.manage`; `member` hold it.
         */
        get: operations["listDomains"];
        put?: never;
        /**
         * Claim a host for own links; the record that proves it is shown once
         * @description Publish the returned DNS record, then call `POST /v1/domains/{domain_id}/verify`. Requires the permission `links.domains.manage`; `member` hold it.
         */
        post: operations["claimDomain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/domains/{domain_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One of my domains
         * @description Requires the permission `links.domains.manage`; `member` hold it.
         */
        get: operations["getDomain"];
        put?: never;
        post?: never;
        /**
         * Give a domain up; its links stop at once
         * @description Requires the permission `links.domains.manage`; `member` hold it.
         */
        delete: operations["removeDomain"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/domains/{domain_id}/verification-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A new record that proves a claim; the old one proves nothing any more
         * @description Requires the permission `links.domains.manage`; `member` hold it.
         */
        post: operations["renewDomainToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/domains/{domain_id}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Look for the DNS record that proves a claim
         * @description Requires the permission `links.domains.manage`; `member` hold it.
         */
        post: operations["verifyDomain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/email-changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request a change of address
         * @description The address changes when you send the token that is mailed to it. Requires a credential and no permission.
         */
        post: operations["requestEmailChange"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/email-changes/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the status of a change of address
         * @description Requires a credential and no permission.
         */
        get: operations["getEmailChange"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/email-verification-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send the verification of an address again
         * @description The reply is the same whether or not a verification of the address is pending. Requires no credential.
         */
        post: operations["requestEmailVerification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/email-verification-requests/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the status of a request
         * @description Requires no credential.
         */
        get: operations["getEmailVerificationRequest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/email-verifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify an address with a mailed token
         * @description With the registration’s id or password; for a changed address with the owner’s credential. Requires no credential.
         */
        post: operations["verifyEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/event-consumers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the consumers of the event log and how far behind they are
         * @description The lag is counted exactly up to 1,000 events in each of the 16 lanes. Requires the permission `kernel.events.operate`; `platform_operator` hold it.
         */
        get: operations["listEventConsumers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/event-parks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the events that failed and block their aggregate, newest first
         * @description Requires the permission `kernel.events.operate`; `platform_operator` hold it.
         */
        get: operations["listEventParks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/event-parks/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry a dead parked event once
         * @description Requires the permission `kernel.events.operate`; `platform_operator` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["retryEventPark"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/event-parks/{id}/skip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Skip a parked event, so that the events behind it follow
         * @description Requires the permission `kernel.events.operate`; `platform_operator` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["skipEventPark"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Own files, newest first
         * @description Requires a credential and no permission.
         */
        get: operations["listFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/files/download-urls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * URLs of up to a hundred files in one call
         * @description Requires a credential and no permission.
         */
        post: operations["getFileDownloadUrls"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/files/{file_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What is known of a file
         * @description Requires a credential and no permission.
         */
        get: operations["getFile"];
        put?: never;
        post?: never;
        /**
         * Delete a file; its URLs end at once
         * @description Requires a credential and no permission.
         */
        delete: operations["deleteFile"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/files/{file_id}/download-url": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A URL from which a file, or a derivative of it, is downloaded for a short while
         * @description Requires a credential and no permission.
         */
        get: operations["getFileDownloadUrl"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/files/{file_id}/rescan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Have a file scanned again
         * @description Requires the permission `uploads.files.rescan`; `tenant_admin` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["rescanFile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inbound-receipts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Received webhooks, newest first
         * @description Requires the permission `webhooks.inbound_receipts.read`; `tenant_admin`, `support_viewer`, `auditor` hold it.
         */
        get: operations["listInboundReceipts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inbound-receipts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A received webhook and what became of it
         * @description Requires the permission `webhooks.inbound_receipts.read`; `tenant_admin`, `support_viewer`, `auditor` hold it.
         */
        get: operations["getInboundReceipt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inbound-receipts/{id}/payload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The bytes of a received webhook, as they came
         * @description Requires the permission `webhooks.inbound_receipts.read`; `tenant_admin`, `support_viewer`, `auditor` hold it.
         */
        get: operations["getInboundPayload"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inbound-receipts/{id}/reprocess": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Process a received webhook again
         * @description Requires the permission `webhooks.inbound_receipts.reprocess`; `tenant_admin` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["reprocessInboundReceipt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inbound-sources/{provider}/{account_ref}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A source of inbound webhooks, without its secrets
         * @description Requires the permission `webhooks.inbound_sources.manage`; `tenant_admin` hold it.
         */
        get: operations["getInboundSource"];
        /**
         * Configure from which provider webhooks are received, and how they are signed
         * @description Secrets are never shown. Name the old one and the new one while you rotate them. Requires the permission `webhooks.inbound_sources.manage`; `tenant_admin` hold it.
         */
        put: operations["putInboundSource"];
        post?: never;
        /**
         * Stop receiving from a source; received messages stay
         * @description Requires the permission `webhooks.inbound_sources.manage`; `tenant_admin` hold it.
         */
        delete: operations["deleteInboundSource"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inbound/{provider}/{account_ref}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive a signed webhook of a provider
         * @description Answered as its provider documents once it is stored, a repeat like the first: 200 with `{"received":true}` to Stripe, 202 to GitHub, 200 to Slack (with its `challenge`, if it asks by one) and to Twilio (with an empty `<Response/>`), 204 to everybody else. Requires no credential.
         */
        post: operations["receiveInboundWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List or stream your inbox, newest first
         * @description The stream sends inbox.item, inbox.updated, inbox.unread and, after a long absence, inbox.reset. Last-Event-ID resumes it. Requires a credential and no permission.
         */
        get: operations["listInbox"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inbox/read-all": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mark all items as read, or those up to a time
         * @description Requires a credential and no permission.
         */
        post: operations["readAllInboxItems"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inbox/unread-count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the unread items of your inbox
         * @description Requires a credential and no permission.
         */
        get: operations["countUnreadInboxItems"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inbox/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Mark an item as read or archived
         * @description Requires a credential and no permission.
         */
        patch: operations["updateInboxItem"];
        trace?: never;
    };
    "/v1/inventory/{sku}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The stock of a SKU
         * @description Requires the permission `commerce.inventory.read`; `shop_manager`, `support_viewer` hold it.
         */
        get: operations["getInventoryItem"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inventory/{sku}/adjustments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add or take off stock
         * @description Stock that is reserved for orders cannot be taken off. Requires the permission `commerce.inventory.adjust`; `shop_manager` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["adjustInventory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Invite a person, or send a pending invitation again
         * @description The mailed token sets the password through POST /v1/password-resets. Requires the permission `identity.accounts.invite`; `tenant_admin` hold it.
         */
        post: operations["inviteAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/job-attempts/{attempt_id}/finalize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Finish an attempt
         * @description Decided by the lease token and the version; the same call again is answered again. Requires a credential and no permission.
         */
        post: operations["finalizeJobAttempt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/job-attempts/{attempt_id}/progress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report progress, and save what a successor would need
         * @description Requires the lease token of the attempt. A later attempt receives the last checkpoint. Requires a credential and no permission.
         */
        post: operations["reportJobProgress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/job-attempts/{attempt_id}/result": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Store a result as bytes of any media type
         * @description Shown by the header Job-Lease-Token; finalize then names the result_ref. Requires a credential and no permission.
         */
        put: operations["storeJobResult"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/job-batches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Submit jobs that may wait for each other, all or none
         * @description Requires the permission `jobs.jobs.submit`; `tenant_admin` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["submitJobBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/job-redrives": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take up again the failed jobs of a type, oldest first
         * @description Requires the permission `jobs.jobs.retry` for the type; `tenant_admin` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["redriveJobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/job-schedules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The schedules of the tenant whose types I may schedule, by name
         * @description Requires the permission `jobs.schedules.write`; `tenant_admin` hold it.
         */
        get: operations["listJobSchedules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/job-schedules/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A schedule
         * @description Requires the permission `jobs.schedules.write`; `tenant_admin` hold it.
         */
        get: operations["getJobSchedule"];
        /**
         * Make a schedule, or replace it
         * @description Requires the permission `jobs.schedules.write` for the type; `tenant_admin` hold it.
         */
        put: operations["putJobSchedule"];
        post?: never;
        /**
         * Remove a schedule; jobs that it has made stay
         * @description Requires the permission `jobs.schedules.write`; `tenant_admin` hold it.
         */
        delete: operations["deleteJobSchedule"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/job-stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How much of each job type waits and runs
         * @description Requires the permission `jobs.stats.read`; `platform_operator` hold it.
         */
        get: operations["listJobStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/job-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All job types, by name
         * @description Requires the permission `jobs.types.read`; `platform_operator`, `tenant_admin` hold it.
         */
        get: operations["listJobTypes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/job-types/{type}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A job type
         * @description Requires the permission `jobs.types.read`; `platform_operator`, `tenant_admin` hold it.
         */
        get: operations["getJobType"];
        /**
         * Register a job type for outside workers, or one more version of it
         * @description The schemas of a version never change; the rules of a type may. Requires the permission `jobs.types.write`; `platform_operator` hold it.
         */
        put: operations["registerJobType"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/job-types/{type}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a job type
         * @description Once this is answered no job of the type starts anywhere until it is resumed. Requires the permission `jobs.types.pause`; `platform_operator` hold it.
         */
        post: operations["pauseJobType"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/job-types/{type}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take a paused job type up again
         * @description Requires the permission `jobs.types.pause`; `platform_operator` hold it.
         */
        post: operations["resumeJobType"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The jobs of the tenant that I may see, newest first
         * @description Requires a credential and no permission.
         */
        get: operations["listJobs"];
        put?: never;
        /**
         * Submit a job
         * @description The job is stored in the same commit as the reply. Follow `Location` for its state, or watch its events. Requires the permission `jobs.jobs.submit` for the type; `tenant_admin` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["submitJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{job_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A job: its state, its progress, and why it waits
         * @description Requires a credential and no permission.
         */
        get: operations["getJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Reorder a waiting job
         * @description Requires the permission `jobs.jobs.update`; `tenant_admin` hold it.
         */
        patch: operations["updateJob"];
        trace?: never;
    };
    "/v1/jobs/{job_id}/attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The attempts of a job, newest first
         * @description Requires a credential and no permission.
         */
        get: operations["listJobAttempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{job_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a job
         * @description A waiting job is cancelled at once (200). A running one is asked to stop (202) and says `running` until its worker has stopped or finished. Requires a credential and no permission. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["cancelJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{job_id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The history of a job; as text/event-stream also its progress, until it ends
         * @description The stream sends job.state, job.progress, job.done (and then closes) and error. Last-Event-ID resumes it. Requires a credential and no permission.
         */
        get: operations["listJobEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{job_id}/result-url": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * An address from which the result can be fetched for a short while
         * @description Requires a credential and no permission.
         */
        get: operations["getJobResultUrl"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{job_id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry a job, or make a new one like it
         * @description The history is kept: attempts of the same job are numbered on. Requires the permission `jobs.jobs.retry`; `tenant_admin` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["retryJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ledger/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ledger accounts with their balances
         * @description Requires the permission `payments.ledger.read`; `payments_finance`, `support_viewer` hold it.
         */
        get: operations["listLedgerAccounts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ledger/accounts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A ledger account with its balance, now or at a past time
         * @description Requires the permission `payments.ledger.read`; `payments_finance`, `support_viewer` hold it.
         */
        get: operations["getLedgerAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ledger/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ledger transactions with their entries, newest first
         * @description Requires the permission `payments.ledger.read`; `payments_finance`, `support_viewer` hold it.
         */
        get: operations["listLedgerTransactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ledger/transactions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A ledger transaction, and why it is there
         * @description Requires the permission `payments.ledger.read`; `payments_finance`, `support_viewer` hold it.
         */
        get: operations["getLedgerTransaction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List every limit and retention in force
         * @description Requires a credential and no permission.
         */
        get: operations["listLimits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/link-blocklist": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What may not be linked to, newest first
         * @description Requires the permission `links.blocklist.manage`; `platform_operator` hold it.
         */
        get: operations["listBlocklistEntries"];
        put?: never;
        /**
         * Block a destination, for new links at once and for existing ones by a job
         * @description Requires the permission `links.blocklist.manage`; `platform_operator` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["addBlocklistEntry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/link-blocklist/{blocklist_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Take an entry off the list; what it disabled stays disabled
         * @description Requires the permission `links.blocklist.manage`; `platform_operator` hold it.
         */
        delete: operations["removeBlocklistEntry"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/link-reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the public reported, newest first
         * @description Requires the permission `links.reports.read`; `platform_operator` hold it.
         */
        get: operations["listLinkReports"];
        put?: never;
        /**
         * Report a short link that does harm
         * @description Requires no credential.
         */
        post: operations["reportLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/link-stats/rebuilds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rebuild click statistics from their events, by a job
         * @description Requires the permission `links.stats.rebuild`; `platform_operator` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["rebuildLinkStats"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * My links, newest first
         * @description A request reads a bounded number of links (links.list_rows): with a filter a page may hold fewer than its limit, or none, while has_more says that more may follow. Requires the permission `links.links.read`; `member` hold it.
         */
        get: operations["listLinks"];
        put?: never;
        /**
         * Shorten an address
         * @description Without an `alias` the platform chooses the code. Requires the permission `links.links.create`; `member` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["createLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/links/batches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Shorten up to 100 addresses, all or none
         * @description Requires the permission `links.links.create`; `member` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["createLinks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/links/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One of my links
         * @description Requires the permission `links.links.read`; `member` hold it.
         */
        get: operations["getLink"];
        put?: never;
        post?: never;
        /**
         * Delete my link; its code is never given away again
         * @description Requires the permission `links.links.delete`; `member` hold it.
         */
        delete: operations["deleteLink"];
        options?: never;
        head?: never;
        /**
         * Change where my link leads, for how long, and how
         * @description Caches forget the old destination within a second. Requires the permission `links.links.update`; `member` hold it.
         */
        patch: operations["updateLink"];
        trace?: never;
    };
    "/v1/links/{code}/moderation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Disable, enable or clear a link of any owner
         * @description Requires the permission `links.links.moderate`; `platform_operator` hold it.
         */
        post: operations["moderateLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/links/{code}/qr": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The QR code of my link, as SVG or PNG
         * @description Requires the permission `links.links.read`; `member` hold it.
         */
        get: operations["getLinkQrCode"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/links/{code}/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The clicks on my link, by day and by where they came from
         * @description Requires the permission `links.stats.read`; `member` hold it.
         */
        get: operations["getLinkStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get my account
         * @description Requires a credential and no permission.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change my display name
         * @description Requires a credential and no permission.
         */
        patch: operations["updateMe"];
        trace?: never;
    };
    "/v1/me/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export my data
         * @description One JSON record a line: `surface`, `kind` and `data`. The last line is `{"complete": true}`; an export without it was cut off. Requires a recent authentication. Requires a credential and no permission.
         */
        get: operations["exportMyData"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/external-identities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the identities with which I can log in
         * @description Requires a credential and no permission.
         */
        get: operations["listExternalIdentities"];
        put?: never;
        /**
         * Link an identity to my account
         * @description Requires a credential and no permission.
         */
        post: operations["linkExternalIdentity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/external-identities/{external_identity_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Unlink an identity from my account
         * @description Requires a credential and no permission.
         */
        delete: operations["unlinkExternalIdentity"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mfa/challenges": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open a challenge for a second factor
         * @description With the login token of a waiting login, or with an access token to step up its session. Requires no credential.
         */
        post: operations["createMfaChallenge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mfa/challenges/{challenge_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the status of a challenge
         * @description Requires no credential.
         */
        get: operations["getMfaChallenge"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mfa/challenges/{challenge_id}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete a challenge
         * @description A login then becomes a session (201); a step-up returns a new access token (200). Requires no credential.
         */
        post: operations["verifyMfaChallenge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mfa/methods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List my second factors
         * @description Requires a credential and no permission.
         */
        get: operations["listMfaMethods"];
        put?: never;
        /**
         * Begin a second factor
         * @description The secret is shown only this once. The factor is not accepted until it is activated. Requires a credential and no permission.
         */
        post: operations["enrolMfaMethod"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mfa/methods/{method_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a second factor
         * @description Requires a credential and no permission.
         */
        delete: operations["removeMfaMethod"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mfa/methods/{method_id}/activate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Activate a second factor
         * @description With the first factor come ten recovery codes, which are shown only this once. Requires a credential and no permission.
         */
        post: operations["activateMfaMethod"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mfa/recovery-codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace my recovery codes
         * @description Codes of an earlier set are no longer valid. Requires a credential and no permission.
         */
        post: operations["replaceRecoveryCodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notification-categories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the categories, by name
         * @description Requires the permission `notifications.categories.read`; `tenant_admin`, `notification_sender` hold it.
         */
        get: operations["listNotificationCategories"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notification-categories/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a category
         * @description Requires the permission `notifications.categories.read`; `tenant_admin`, `notification_sender` hold it.
         */
        get: operations["getNotificationCategory"];
        /**
         * Create or replace a category of the tenant
         * @description Requires the permission `notifications.categories.write`; `tenant_admin` hold it.
         */
        put: operations["putNotificationCategory"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notification-push-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the public key with which browsers subscribe to Web Push
         * @description Requires a credential and no permission.
         */
        get: operations["getNotificationPushKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notification-templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List template versions, by name and newest first
         * @description Requires the permission `notifications.templates.read`; `tenant_admin`, `notification_sender` hold it.
         */
        get: operations["listNotificationTemplates"];
        put?: never;
        /**
         * Create the next version of a template as a draft
         * @description Requires the permission `notifications.templates.write`; `tenant_admin` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["createNotificationTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notification-templates/{name}/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a template version with its texts
         * @description Requires the permission `notifications.templates.read`; `tenant_admin`, `notification_sender` hold it.
         */
        get: operations["getNotificationTemplate"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notification-templates/{name}/versions/{version}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Archive a published version; it cannot be sent any more
         * @description Requires the permission `notifications.templates.publish`; `tenant_admin` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["archiveNotificationTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notification-templates/{name}/versions/{version}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview a template version with your own data
         * @description Requires the permission `notifications.templates.read`; `tenant_admin`, `notification_sender` hold it.
         */
        post: operations["previewNotificationTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notification-templates/{name}/versions/{version}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish a draft; a published version cannot be changed
         * @description Requires the permission `notifications.templates.publish`; `tenant_admin` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["publishNotificationTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List notifications, newest first
         * @description Requires the permission `notifications.intents.read`; `tenant_admin`, `notification_sender` hold it.
         */
        get: operations["listNotifications"];
        put?: never;
        /**
         * Send a notification to one recipient
         * @description Accepted is not sent: read the notification to see what became of each channel. A recipient without a usable destination is accepted too, and the channel says why it was skipped. Requires the permission `notifications.intents.send` for the type; `tenant_admin`, `notification_sender` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["sendNotification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications/batches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a notification to many recipients
         * @description As application/json with up to 1,000 recipients, or as application/x-ndjson: the header in the first line, then one recipient a line. Nothing is sent before the request is answered. An Idempotency-Key makes it safe to repeat. Requires the permission `notifications.batches.send`; `tenant_admin`, `notification_sender` hold it.
         */
        post: operations["sendNotificationBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications/batches/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a batch with the number of its notifications in each state
         * @description Requires the permission `notifications.batches.send`; `tenant_admin`, `notification_sender` hold it.
         */
        get: operations["getNotificationBatch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications/batches/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel what has not been sent of a batch
         * @description Requires the permission `notifications.batches.send`; `tenant_admin`, `notification_sender` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["cancelNotificationBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications/batches/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a batch until it is resumed
         * @description Requires the permission `notifications.batches.send`; `tenant_admin`, `notification_sender` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["pauseNotificationBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications/batches/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a paused batch
         * @description Requires the permission `notifications.batches.send`; `tenant_admin`, `notification_sender` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["resumeNotificationBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Explain what would happen to a notification, without sending it
         * @description Requires the permission `notifications.intents.send` for the type; `tenant_admin`, `notification_sender` hold it.
         */
        post: operations["explainNotification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a notification with its attempts, reports and decisions
         * @description Requires a credential and no permission.
         */
        get: operations["getNotification"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel what has not been sent
         * @description What a provider has accepted stays sent: effect says full, partial or none. Requires a credential and no permission. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["cancelNotification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications/{id}/rendered": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Render the message of one channel again
         * @description One-time tokens and unsubscribe links are masked; sha256 is that of the attempts. Requires a credential and no permission.
         */
        get: operations["getRenderedNotification"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/oidc/{provider}/authorizations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin a login at an identity provider
         * @description Send the same browser to `authorization_url`; it returns to `redirect_uri` with `ticket` or `error`. With `purpose: "link"` the ticket links the identity to the account of the caller. Requires no credential.
         */
        post: operations["beginOidcLogin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/oidc/{provider}/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Return from an identity provider
         * @description The identity provider sends the browser here; programs do not call it. Requires no credential.
         */
        get: operations["completeOidcLogin"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Own orders, newest first; with a permission those of all buyers
         * @description Requires a credential and no permission.
         */
        get: operations["listOrders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orders/{order_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * An order with its payment, shipments and returns
         * @description While the buyer must confirm the payment, `payment.next_action` says where. With `include=calculation` each step of its totals is shown. Requires a credential and no permission.
         */
        get: operations["getOrder"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orders/{order_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel an order of which nothing was shipped
         * @description The goods are free at once. What was held is released and what was captured is refunded; `payment.state` is `releasing` until that is certain. Requires a credential and no permission. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["cancelOrder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orders/{order_id}/shipments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ship an order, or a part of it
         * @description The money of the order is taken first, where it was not. 202 says that this is not certain yet: the goods are still here. Requires the permission `commerce.shipments.write`; `shop_manager` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["shipOrder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/password-changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change my password
         * @description All other sessions end. Requires a credential and no permission.
         */
        post: operations["changePassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/password-reset-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request a mail that resets a password
         * @description The reply is the same whether or not the address has an account. Requires no credential.
         */
        post: operations["requestPasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/password-reset-requests/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the status of a request
         * @description Requires no credential.
         */
        get: operations["getPasswordResetRequest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/password-resets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set a password with a mailed token
         * @description All sessions end. Requires no credential.
         */
        post: operations["resetPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payment-intents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Payment intents, newest first
         * @description Requires the permission `payments.intents.read`; `merchant_service`, `support_viewer`, `payments_finance`, `refund_operator` hold it.
         */
        get: operations["listPaymentIntents"];
        put?: never;
        /**
         * Create a payment intent
         * @description Nothing is sent to the payment provider before the intent is authorized. Requires the permission `payments.intents.create`; `merchant_service` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["createPaymentIntent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payment-intents/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A payment intent with its last operations
         * @description While the cardholder is asked, next_action says where; it is read from the provider at each request. Requires the permission `payments.intents.read`; `merchant_service`, `support_viewer`, `payments_finance`, `refund_operator` hold it.
         */
        get: operations["getPaymentIntent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payment-intents/{id}/authorize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Authorize a payment: hold its amount
         * @description Where the outcome is unknown the answer is 202 and pending; it is found out, and announced as an event. Requires the permission `payments.intents.authorize`; `merchant_service` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["authorizePaymentIntent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payment-intents/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a payment that is not captured, and release its money
         * @description Requires the permission `payments.intents.cancel`; `merchant_service` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["cancelPaymentIntent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payment-intents/{id}/capture": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Capture an authorized payment, all or a part of it
         * @description Requires the permission `payments.intents.capture`; `merchant_service` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["capturePaymentIntent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/price-versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set the price of a SKU, from now or a later moment
         * @description Prices are added and never changed. Orders keep the price of their moment. Requires the permission `commerce.prices.write`; `shop_manager` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["addPriceVersion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/products": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Products on sale, newest first
         * @description A category includes what is below it. With `q` the best matches come first. Holders of `commerce.products.write` may ask for drafts and archived products by `state`. Requires no credential.
         */
        get: operations["listProducts"];
        put?: never;
        /**
         * Create a product with its variants and prices
         * @description Requires the permission `commerce.products.write`; `shop_manager` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["createProduct"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/products/{product_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A product with its variants, prices and stock
         * @description Requires no credential.
         */
        get: operations["getProduct"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a product, add variants and prices
         * @description What is left out stays. Orders keep what they were placed with. Requires the permission `commerce.products.write`; `shop_manager` hold it.
         */
        patch: operations["changeProduct"];
        trace?: never;
    };
    "/v1/providers/{provider}/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive a signed report of a provider
         * @description Requires no credential.
         */
        post: operations["receiveProviderWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/realtime-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A short-lived token for the socket
         * @description Open the `url` with it within a minute: as `?token=`, as `Authorization: Bearer`, or as the second subprotocol `token.<token>` beside `realtime.v1`. Requires a credential and no permission.
         */
        get: operations["getRealtimeToken"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reconciliation-items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Where our books and the provider's disagree, newest first
         * @description Requires the permission `payments.reconciliations.read`; `platform_operator` hold it.
         */
        get: operations["listReconciliationItems"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reconciliation-items/{id}/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resolve a reconciliation item; what it had stopped goes on
         * @description Requires the permission `payments.reconciliations.resolve`; `platform_operator` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["resolveReconciliationItem"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reconciliation-runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compare the books with the provider's over a window
         * @description Requires the permission `payments.reconciliations.run`; `platform_operator` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["createReconciliationRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reconciliation-runs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A reconciliation run, with the proof of the balance
         * @description Requires the permission `payments.reconciliations.read`; `platform_operator` hold it.
         */
        get: operations["getReconciliationRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/refunds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refund a captured payment, all or a part of it
         * @description Where the provider has not confirmed it yet, the answer is 202 and the state pending. Requires the permission `payments.refunds.create`; `refund_operator` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["createRefund"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/refunds/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A refund
         * @description Requires the permission `payments.refunds.read`; `merchant_service`, `support_viewer`, `payments_finance`, `refund_operator` hold it.
         */
        get: operations["getRefund"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/registrations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the status of a registration
         * @description Requires no credential.
         */
        get: operations["getRegistration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/returns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Own returns, newest first; with a permission those of all buyers
         * @description Requires a credential and no permission.
         */
        get: operations["listReturns"];
        put?: never;
        /**
         * Ask to return goods of an own order
         * @description Requires a credential and no permission. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["requestReturn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/returns/{return_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A return with its refund
         * @description Requires a credential and no permission.
         */
        get: operations["getReturn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/returns/{return_id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve a return
         * @description Requires the permission `commerce.returns.decide`; `refund_operator` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["approveReturn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/returns/{return_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel an own return that is not received yet
         * @description Requires a credential and no permission. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["cancelReturn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/returns/{return_id}/receive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive the goods of a return, and pay them back
         * @description The refund is what the buyer paid for these units, to the cent, less the fee. Requires the permission `commerce.returns.receive`; `refund_operator` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["receiveReturn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/returns/{return_id}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reject a return
         * @description Requires the permission `commerce.returns.decide`; `refund_operator` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["rejectReturn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/returns/{return_id}/retry-refund": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask again for the refund of a return that failed
         * @description Requires the permission `commerce.returns.decide`; `refund_operator` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["retryRefund"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the roles that can be assigned here
         * @description Requires the permission `identity.roles.read`; `tenant_admin`, `auditor` hold it.
         */
        get: operations["listRoles"];
        put?: never;
        /**
         * Define a role of the tenant
         * @description A role that mixes separated duties cannot be stored. Built-in roles are fixed. Requires the permission `identity.roles.define`; `tenant_admin` hold it.
         */
        post: operations["createRole"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/security-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List security events, newest first
         * @description Your own; with the permission to read those of others, all of the tenant or of `account_id`. Requires a credential and no permission.
         */
        get: operations["listSecurityEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List my sessions
         * @description Requires a credential and no permission.
         */
        get: operations["listSessions"];
        put?: never;
        /**
         * Log in
         * @description Where a second factor is required the reply is 202 with a challenge. Requires no credential.
         */
        post: operations["logIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/current": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The session of the caller
         * @description Gives a reloaded page its `csrf_token` again. Also with the refresh cookie alone, after the access token has expired: then refresh next. A page of another site is refused. Requires no credential.
         */
        get: operations["getCurrentSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a session
         * @description Also with that session’s own access token after it was ended. Requires no credential.
         */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange a refresh token for new tokens
         * @description A refresh token works once. Using an old one ends the session, because one of the two holders must have stolen it. Requires no credential.
         */
        post: operations["refreshSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settlements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the provider settled of your payments, newest first
         * @description Requires the permission `payments.settlements.read`; `payments_finance` hold it.
         */
        get: operations["listSettlements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/shipments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Shipments, newest first: those to prepare are in `preparing`
         * @description Requires the permission `commerce.shipments.write`; `shop_manager` hold it.
         */
        get: operations["listShipments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/shipments/{shipment_id}/delivered": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say that a shipment arrived
         * @description Requires the permission `commerce.shipments.write`; `shop_manager` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["confirmDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/shipments/{shipment_id}/lost": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say that a shipment was lost
         * @description Requires the permission `commerce.shipments.write`; `shop_manager` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["reportLostShipment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/shipping-methods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The shipping methods of the shop, by name
         * @description Requires the permission `commerce.settings.write`; `shop_manager` hold it.
         */
        get: operations["getShippingMethods"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/shipping-methods/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A shipping method
         * @description Requires the permission `commerce.settings.write`; `shop_manager` hold it.
         */
        get: operations["getShippingMethodsById"];
        /**
         * Set a shipping method as a whole
         * @description Orders keep what was calculated for them; carts are calculated again. Requires the permission `commerce.settings.write`; `shop_manager` hold it.
         */
        put: operations["putShippingMethodsById"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/signing-keys/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start to sign with a new key
         * @description `graceful` publishes the new key before it signs; `revoke` drops all others at once, and clients have to refresh. Requires the permission `identity.signing_keys.rotate`; `key_administrator` hold it.
         */
        post: operations["rotateSigningKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/suppressions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List suppressed addresses, newest first, as hashes
         * @description Requires the permission `notifications.suppressions.read`; `tenant_admin` hold it.
         */
        get: operations["listSuppressions"];
        put?: never;
        /**
         * Suppress an address, in one category or in all
         * @description Requires the permission `notifications.suppressions.write`; `tenant_admin` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["createSuppression"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/suppressions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a suppression, so that the address receives messages again
         * @description Requires the permission `notifications.suppressions.write`; `tenant_admin` hold it.
         */
        delete: operations["deleteSuppression"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tax-rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The tax rules of the shop, by name
         * @description Requires the permission `commerce.settings.write`; `shop_manager` hold it.
         */
        get: operations["getTaxRules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tax-rules/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A tax rule
         * @description Requires the permission `commerce.settings.write`; `shop_manager` hold it.
         */
        get: operations["getTaxRulesById"];
        /**
         * Set a tax rule as a whole
         * @description Orders keep what was calculated for them; carts are calculated again. Requires the permission `commerce.settings.write`; `shop_manager` hold it.
         */
        put: operations["putTaxRulesById"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all tenants, newest first
         * @description Requires the permission `identity.tenants.manage`; `platform_operator` hold it.
         */
        get: operations["listTenants"];
        put?: never;
        /**
         * Create a tenant
         * @description Requires the permission `identity.tenants.manage`; `platform_operator` hold it.
         */
        post: operations["createTenant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenants/{tenant_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change, disable or enable a tenant
         * @description Disabling ends every session that belongs to the tenant or works in it. Requires the permission `identity.tenants.manage`; `platform_operator` hold it.
         */
        patch: operations["updateTenant"];
        trace?: never;
    };
    "/v1/unsubscribe/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a page with a button to unsubscribe
         * @description Requires no credential.
         */
        get: operations["getUnsubscribePage"];
        put?: never;
        /**
         * Unsubscribe with one click (RFC 8058)
         * @description Requires no credential.
         */
        post: operations["unsubscribe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin an upload; the answer says where its parts are sent
         * @description A file of one part is sent by PUT to `upload_url`, a larger one in parts to `part_urls`. Nothing is downloadable before the upload is completed and its file is `available`. Requires a credential and no permission. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["createUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/uploads/{upload_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * An upload: its state, what is missing, and its file
         * @description Requires a credential and no permission.
         */
        get: operations["getUpload"];
        put?: never;
        post?: never;
        /**
         * Abort an upload; its parts are removed
         * @description Requires a credential and no permission.
         */
        delete: operations["abortUpload"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/uploads/{upload_id}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete an upload: its bytes are verified, and its file is processed
         * @description May be repeated: a completed upload answers with its file. Parts that differ are 409 and can be sent again; another checksum is 422 and ends the upload. Requires a credential and no permission.
         */
        post: operations["completeUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/uploads/{upload_id}/parts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * See which parts are stored, and get URLs for those that are not
         * @description Requires a credential and no permission.
         */
        post: operations["registerUploadParts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user_id}/destinations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the destinations of a user, with masked addresses
         * @description Requires a credential and no permission.
         */
        get: operations["listDestinations"];
        put?: never;
        /**
         * Add a destination of a user
         * @description Requires a credential and no permission. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["createDestination"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user_id}/destinations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a destination
         * @description Requires a credential and no permission.
         */
        delete: operations["deleteDestination"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user_id}/destinations/{id}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify a destination with the code that was sent to it
         * @description Requires a credential and no permission.
         */
        post: operations["verifyDestination"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user_id}/preferences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the preferences of a user
         * @description Requires a credential and no permission.
         */
        get: operations["getNotificationPreferences"];
        /**
         * Replace the preferences of a user
         * @description Requires a credential and no permission.
         */
        put: operations["putNotificationPreferences"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Webhook deliveries, newest event first
         * @description `since` and `until` are about when the event happened; `until` is exclusive. Requires the permission `webhooks.deliveries.read`; `tenant_admin`, `support_viewer`, `auditor` hold it.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-deliveries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A webhook delivery with its latest attempts and replays
         * @description Requires the permission `webhooks.deliveries.read`; `tenant_admin`, `support_viewer`, `auditor` hold it.
         */
        get: operations["getWebhookDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-deliveries/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a webhook delivery again, with the same bytes
         * @description One that still waits is sent now. Attempts are counted on. Requires the permission `webhooks.deliveries.replay`; `tenant_admin` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["replayWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-event-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The types of events that may be subscribed to, by name
         * @description Requires a credential and no permission.
         */
        get: operations["listWebhookEventTypes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Events in the order of the log, oldest first, to catch up with
         * @description A page may be empty although there is more. `next_cursor` is always given: at the end of the log, come back with it for what has happened since. Requires the permission `webhooks.events.read`; `tenant_admin` hold it.
         */
        get: operations["listWebhookEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-events/{event_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * An event, its data, and how many of its deliveries are in which state
         * @description Requires the permission `webhooks.events.read`; `tenant_admin` hold it.
         */
        get: operations["getWebhookEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Webhook subscriptions with their health, newest first
         * @description Requires the permission `webhooks.subscriptions.read`; `tenant_admin`, `support_viewer`, `auditor` hold it.
         */
        get: operations["listWebhookSubscriptions"];
        put?: never;
        /**
         * Subscribe an endpoint to events
         * @description The secret is answered once. Nothing is sent before the challenge is answered. Requires the permission `webhooks.subscriptions.write`; `tenant_admin` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["createWebhookSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-subscriptions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A webhook subscription with its health
         * @description Requires the permission `webhooks.subscriptions.read`; `tenant_admin`, `support_viewer`, `auditor` hold it.
         */
        get: operations["getWebhookSubscription"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook subscription
         * @description Requires the permission `webhooks.subscriptions.write`; `tenant_admin` hold it.
         */
        delete: operations["deleteWebhookSubscription"];
        options?: never;
        head?: never;
        /**
         * Change, pause or resume a webhook subscription
         * @description Requires the permission `webhooks.subscriptions.write`; `tenant_admin` hold it.
         */
        patch: operations["updateWebhookSubscription"];
        trace?: never;
    };
    "/v1/webhook-subscriptions/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send again what a webhook subscription failed to take, or missed, in a span of time
         * @description A span of at most 14 days. The job schedules deliveries behind live ones, at the rate of the subscription or 50 a second; cancelling it stops those that are not scheduled yet. Requires the permission `webhooks.deliveries.replay`; `tenant_admin` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["replayWebhookSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-subscriptions/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a webhook subscription a new secret; it is shown once
         * @description Both secrets sign until the old one ends, so that the receiver can change over. Requires the permission `webhooks.subscriptions.rotate_secret`; `tenant_admin` hold it.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-subscriptions/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event to one webhook subscription
         * @description Requires the permission `webhooks.subscriptions.write`; `tenant_admin` hold it. With an `Idempotency-Key` a retry has the effect of one request.
         */
        post: operations["testWebhookSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-subscriptions/{id}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify an endpoint: send a challenge now, or give the one that it received
         * @description Requires the permission `webhooks.subscriptions.write`; `tenant_admin` hold it.
         */
        post: operations["verifyWebhookSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workers/{worker_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Say which job types a worker can run
         * @description Requires a credential and no permission.
         */
        put: operations["registerWorker"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workers/{worker_id}/claims": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Claim jobs, or wait for some
         * @description The same claim_id gives the same leases again, so a lost answer costs nothing. Requires a credential and no permission.
         */
        post: operations["claimJobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workers/{worker_id}/heartbeats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Renew leases, and get the states of their jobs
         * @description Requires a credential and no permission.
         */
        post: operations["sendWorkerHeartbeat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow a short link; with a + at its end, see where it leads
         * @description Redirects with the status of the link. A link that waits for its scan may be answered with a warning page. Requires no credential.
         */
        get: operations["followLink"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * Format: uuid
         * @description A UUID. Ids that the platform makes are version 7: they sort by time of creation.
         */
        Id: string;
        /**
         * Format: date-time
         * @description A moment of RFC 3339 with its offset. Replies are in UTC.
         */
        Time: string;
        /** @description Grows with every change of the resource. The ETag carries it; send it as `If-Match`. */
        Version: number;
        /** @description Money in the smallest unit of its currency: 1999 is 19.99 EUR, or 1999 JPY. */
        Amount: number;
        /** @description A position in one list with its filters. Take it from `next_cursor`; do not make one. */
        Cursor: string;
        FieldError: {
            /**
             * @description The part of the request.
             * @enum {string}
             */
            location: "body" | "query" | "path" | "header";
            /** @description A JSON Pointer to the value. */
            pointer: string;
            /** @description The rule that the value breaks. */
            constraint: string;
            /** @description The rule as a sentence. */
            message?: string;
            /** @description The bound of the rule. */
            params?: {
                [key: string]: unknown;
            };
        };
        /**
         * @description Why a request was refused, by RFC 9457. Branch on `code`; show `detail` to people.
         * @example {
         *       "type": "http://127.0.0.1:8080/problems/job_not_found",
         *       "title": "There is no such job",
         *       "status": 404,
         *       "detail": "No job has this id, or you may not see it. Check the id in `GET /v1/jobs`.",
         *       "instance": "/v1/jobs/019c8f3a-5b20-7d41-9e6b-2f1c40d7a961",
         *       "code": "job_not_found",
         *       "request_id": "019c8f3a-5b20-7d41-9e6b-734d11a154d4",
         *       "errors": [
         *         {
         *           "location": "body",
         *           "pointer": "/priority",
         *           "constraint": "maximum",
         *           "message": "/priority must be at most 9.",
         *           "params": {}
         *         }
         *       ],
         *       "retry_after": 2,
         *       "current_state": "succeeded"
         *     }
         */
        Problem: {
            /** @description The address of the page that explains the code. */
            type: string;
            /** @description What the code means; the same text each time. */
            title: string;
            /** @description The HTTP status. */
            status: number;
            /** @description What was wrong this time, and what to do next. */
            detail: string;
            /** @description The path of the request. */
            instance: string;
            /** @description The stable name of the refusal. New codes may be added. */
            code: string;
            /** @description The id of the request, as in `X-Request-Id`. */
            request_id: components["schemas"]["Id"];
            /** @description The values that do not match the schema, at most 20 of them. */
            errors?: components["schemas"]["FieldError"][];
            /** @description Seconds to wait before the same request is sent again. */
            retry_after?: number;
            /** @description The state that does not allow the request. */
            current_state?: string;
        };
        /**
         * @example {
         *       "name": "name",
         *       "version": "version",
         *       "docs": "docs",
         *       "openapi": "openapi",
         *       "health": "health"
         *     }
         */
        GetRootReply: {
            name: string;
            version: string;
            docs: string;
            openapi: string;
            health: string;
        };
        /**
         * @example {
         *       "keys": [
         *         {
         *           "kty": "kty",
         *           "crv": "crv",
         *           "x": "x",
         *           "y": "y",
         *           "kid": "kid",
         *           "alg": "alg",
         *           "use": "use"
         *         }
         *       ]
         *     }
         */
        Jwks: {
            keys: {
                kty: string;
                crv: string;
                x: string;
                y: string;
                kid: string;
                alg: string;
                use: string;
            }[];
        };
        /**
         * @example {
         *       "status": "ok"
         *     }
         */
        GetHealthReply: {
            /** @constant */
            status: "ok";
        };
        /**
         * @example {
         *       "code": "code",
         *       "status": 1,
         *       "title": "title",
         *       "retryable": false,
         *       "description": "description",
         *       "cause": "cause",
         *       "cure": "cure"
         *     }
         */
        ProblemCode: {
            code: string;
            status: number;
            title: string;
            retryable: boolean;
            description: string;
            cause: string;
            cure: string;
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "code": "code",
         *           "status": 1,
         *           "title": "title",
         *           "retryable": false,
         *           "description": "description",
         *           "cause": "cause",
         *           "cure": "cure"
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        ProblemCodePage: {
            /** @description The items of this page. */
            data: components["schemas"]["ProblemCode"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "status": "ready",
         *       "checks": {}
         *     }
         */
        Readiness: {
            status: "ready" | "not_ready";
            checks: {
                [key: string]: boolean;
            };
        };
        /**
         * @example {
         *       "email": "ada@example.com",
         *       "password": "correct horse battery staple",
         *       "tenant": "acme",
         *       "locale": "en",
         *       "display_name": "Ada Lovelace"
         *     }
         */
        RegisterAccountBody: {
            /** @description The mail address, as the person wrote it. */
            email: string;
            /** @description The password; at least 8 characters, and not easy to guess. */
            password: string;
            /** @description The name of the tenant in URLs. */
            tenant?: string;
            /** @description The language of mails, by BCP 47. */
            locale?: string;
            /** @description The display name of the person. */
            display_name?: string;
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "status": "pending_verification",
         *       "verification_required": false,
         *       "expires_at": "2026-03-02T10:15:00.000Z"
         *     }
         */
        Registered: {
            id: components["schemas"]["Id"];
            /** @constant */
            status: "pending_verification";
            verification_required: boolean;
            expires_at: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "tenant_id": "019c8f3a-5b20-7d41-9e6b-759b6ffea819",
         *       "email": "ada@example.com",
         *       "email_normalized": "email normalized",
         *       "status": "status",
         *       "verified_at": "2026-03-02T09:30:00.000Z",
         *       "display_name": "Ada Lovelace",
         *       "locale": "en",
         *       "created_at": "2026-03-02T09:30:00.000Z"
         *     }
         */
        Account: {
            id: components["schemas"]["Id"];
            tenant_id: components["schemas"]["Id"];
            /** @description The mail address, as the person wrote it. */
            email: string | null;
            email_normalized: string;
            status: string;
            verified_at: components["schemas"]["Time"] | null;
            /** @description The display name of the person. */
            display_name: string | null;
            /** @description The language of mails, by BCP 47. */
            locale: string | null;
            created_at: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "tenant_id": "019c8f3a-5b20-7d41-9e6b-759b6ffea819",
         *           "email": "ada@example.com",
         *           "email_normalized": "email normalized",
         *           "status": "status",
         *           "verified_at": "2026-03-02T09:30:00.000Z",
         *           "display_name": "Ada Lovelace",
         *           "locale": "en",
         *           "created_at": "2026-03-02T09:30:00.000Z"
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        AccountPage: {
            /** @description The items of this page. */
            data: components["schemas"]["Account"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "tenant_id": "019c8f3a-5b20-7d41-9e6b-759b6ffea819",
         *       "email": "ada@example.com",
         *       "email_normalized": "email normalized",
         *       "status": "status",
         *       "verified_at": "2026-03-02T09:30:00.000Z",
         *       "display_name": "Ada Lovelace",
         *       "locale": "en",
         *       "created_at": "2026-03-02T09:30:00.000Z",
         *       "role_ids": [
         *         "support_viewer"
         *       ]
         *     }
         */
        AccountWithRoles: {
            id: components["schemas"]["Id"];
            tenant_id: components["schemas"]["Id"];
            /** @description The mail address, as the person wrote it. */
            email: string | null;
            email_normalized: string;
            status: string;
            verified_at: components["schemas"]["Time"] | null;
            /** @description The display name of the person. */
            display_name: string | null;
            /** @description The language of mails, by BCP 47. */
            locale: string | null;
            created_at: components["schemas"]["Time"];
            role_ids: string[];
        };
        /**
         * @example {
         *       "status": "active"
         *     }
         */
        UpdateAccountBody: {
            status: "active" | "disabled";
        };
        /**
         * @example {
         *       "tenant_id": "019c8f3a-5b20-7d41-9e6b-759b6ffea819"
         *     }
         */
        AssignRoleBody: {
            tenant_id?: components["schemas"]["Id"];
        };
        /**
         * @example {
         *       "tenant_id": "019c8f3a-5b20-7d41-9e6b-759b6ffea819"
         *     }
         */
        RemoveRoleBody: {
            tenant_id?: components["schemas"]["Id"];
        };
        Session: {
            id: components["schemas"]["Id"];
            account_id: components["schemas"]["Id"];
            created_at: components["schemas"]["Time"];
            last_seen_at: components["schemas"]["Time"];
            expires_at: components["schemas"]["Time"];
            revoked_at: components["schemas"]["Time"] | null;
            client_metadata: {
                device_name: string | null;
                ua_family: string | null;
                /** @description The network of the client, without its last bits. */
                ip_prefix: string | null;
            };
            current: boolean;
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "account_id": "019c8f3a-5b20-7d41-9e6b-739b093ae9fb",
         *           "created_at": "2026-03-02T09:30:00.000Z",
         *           "last_seen_at": "2026-03-02T10:15:00.000Z",
         *           "expires_at": "2026-03-02T10:15:00.000Z",
         *           "revoked_at": "2026-03-02T09:30:00.000Z",
         *           "client_metadata": {
         *             "device_name": "device name",
         *             "ua_family": "ua family",
         *             "ip_prefix": "203.0.113.0/24"
         *           },
         *           "current": false
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        SessionPage: {
            /** @description The items of this page. */
            data: components["schemas"]["Session"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        ApiKey: {
            id: components["schemas"]["Id"];
            account_id: components["schemas"]["Id"];
            name: string;
            prefix: string;
            /** @description Permissions; some may be limited to a type. */
            permissions: string[];
            state: string;
            created_at: components["schemas"]["Time"];
            last_used_at: components["schemas"]["Time"] | null;
            expires_at: components["schemas"]["Time"] | null;
            revoked_at: components["schemas"]["Time"] | null;
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "account_id": "019c8f3a-5b20-7d41-9e6b-739b093ae9fb",
         *           "name": "name",
         *           "prefix": "prefix",
         *           "permissions": [
         *             "permission"
         *           ],
         *           "state": "state",
         *           "created_at": "2026-03-02T09:30:00.000Z",
         *           "last_used_at": "2026-03-02T10:15:00.000Z",
         *           "expires_at": "2026-03-02T10:15:00.000Z",
         *           "revoked_at": "2026-03-02T09:30:00.000Z"
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        ApiKeyPage: {
            /** @description The items of this page. */
            data: components["schemas"]["ApiKey"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "name": "name",
         *       "permissions": [
         *         "jobs.jobs.read"
         *       ],
         *       "expires_at": "2026-03-02T10:15:00.000Z"
         *     }
         */
        CreateApiKeyBody: {
            name: string;
            /** @description Permissions; some may be limited to a type. */
            permissions: string[];
            expires_at?: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "account_id": "019c8f3a-5b20-7d41-9e6b-739b093ae9fb",
         *       "name": "name",
         *       "prefix": "prefix",
         *       "permissions": [
         *         "permission"
         *       ],
         *       "state": "state",
         *       "created_at": "2026-03-02T09:30:00.000Z",
         *       "last_used_at": "2026-03-02T10:15:00.000Z",
         *       "expires_at": "2026-03-02T10:15:00.000Z",
         *       "revoked_at": "2026-03-02T09:30:00.000Z",
         *       "key": "key"
         *     }
         */
        NewApiKey: {
            id: components["schemas"]["Id"];
            account_id: components["schemas"]["Id"];
            name: string;
            prefix: string;
            /** @description Permissions; some may be limited to a type. */
            permissions: string[];
            state: string;
            created_at: components["schemas"]["Time"];
            last_used_at: components["schemas"]["Time"] | null;
            expires_at: components["schemas"]["Time"] | null;
            revoked_at: components["schemas"]["Time"] | null;
            key: string;
        };
        /**
         * @example {
         *       "conversation_id": "019c8f3a-5b20-7d41-9e6b-5c9b37b35b23",
         *       "filename": "route.gpx",
         *       "claimed_type": "application/gpx+xml",
         *       "expected_size": 48213,
         *       "checksum": "sha256:50d858e0985ecc7f60418aaf0cc5ab587f42c2570a884095a9e8ccacd0f6545c"
         *     }
         */
        StartAttachment: {
            conversation_id: components["schemas"]["Id"];
            /** @description The name that readers see. */
            filename?: string;
            /** @description The media type, as the sender knows it. */
            claimed_type?: string;
            /** @description The size of the file in bytes. */
            expected_size: number;
            checksum?: string;
        };
        AttachmentUpload: {
            id: components["schemas"]["Id"];
            upload_id: components["schemas"]["Id"];
            object_key: string;
            /**
             * @description Whether messages may be sent.
             * @enum {string}
             */
            state: "initiated" | "uploaded" | "available" | "quarantined" | "aborted" | "expired";
            quarantined: boolean;
            part_size: number;
            part_count: number;
            upload_url: string | null;
            upload_headers: {
                [key: string]: string;
            } | null;
            part_urls: {
                part_number: number;
                url: string;
                /** @enum {string} */
                method: "PUT";
                headers: {
                    [key: string]: string;
                };
                offset: number;
                size: number;
                expires_at: components["schemas"]["Time"];
            }[] | null;
            next_part_number: number | null;
            max_parallel_parts: number;
            expires_at: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "attachment_id": "019c8f3a-5b20-7d41-9e6b-2552b3e104e8",
         *       "upload": {
         *         "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *         "upload_id": "019c8f3a-5b20-7d41-9e6b-2bc2b5e4a576",
         *         "object_key": "object key",
         *         "state": "initiated",
         *         "quarantined": false,
         *         "part_size": 1,
         *         "part_count": 1,
         *         "upload_url": "upload url",
         *         "upload_headers": {},
         *         "part_urls": [
         *           {
         *             "part_number": 1,
         *             "url": "url",
         *             "method": "PUT",
         *             "headers": {},
         *             "offset": 1,
         *             "size": 1,
         *             "expires_at": "2026-03-02T10:15:00.000Z"
         *           }
         *         ],
         *         "next_part_number": 1,
         *         "max_parallel_parts": 1,
         *         "expires_at": "2026-03-02T10:15:00.000Z"
         *       }
         *     }
         */
        StartedAttachment: {
            attachment_id: components["schemas"]["Id"];
            upload: components["schemas"]["AttachmentUpload"];
        };
        AuditEvent: {
            id: components["schemas"]["Id"];
            tenant_id: components["schemas"]["Id"] | null;
            actor: string;
            action: string;
            target: string;
            outcome: string;
            request_id: components["schemas"]["Id"] | null;
            /** @description The reason that the caller gave. It is kept in the audit log. */
            reason: string | null;
            diff_hash: string | null;
            occurred_at: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "tenant_id": "019c8f3a-5b20-7d41-9e6b-759b6ffea819",
         *           "actor": "actor",
         *           "action": "action",
         *           "target": "target",
         *           "outcome": "outcome",
         *           "request_id": "019c8f3a-5b20-7d41-9e6b-734d11a154d4",
         *           "reason": "Requested by the customer.",
         *           "diff_hash": "diff hash",
         *           "occurred_at": "2026-03-02T09:30:00.000Z"
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        AuditEventPage: {
            /** @description The items of this page. */
            data: components["schemas"]["AuditEvent"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "currency": "EUR",
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6"
         *     }
         */
        OpenCart: {
            /** @description A code of ISO 4217. */
            currency: string;
            id?: components["schemas"]["Id"];
        };
        /** @description What is sold and stocked, by the name that the shop gave it. */
        Sku: string;
        CartItem: {
            /** @description What is sold and stocked, by the name that the shop gave it. */
            sku: components["schemas"]["Sku"];
            product_id: components["schemas"]["Id"];
            title: string;
            /** @description How many. */
            quantity: number;
            unit_price_minor: components["schemas"]["Amount"] | null;
            price_version_id: components["schemas"]["Id"] | null;
            subtotal_minor: components["schemas"]["Amount"];
            discount_minor: components["schemas"]["Amount"];
            tax_minor: components["schemas"]["Amount"];
            total_minor: components["schemas"]["Amount"];
            /** @enum {string} */
            availability: "ok" | "insufficient" | "unavailable";
        };
        Address: {
            name: string;
            line1: string;
            line2?: string;
            city: string;
            region?: string;
            postal_code: string;
            /** @description A code of ISO 3166-1 with two letters. */
            country: string;
        };
        Totals: {
            subtotal_minor: components["schemas"]["Amount"];
            discount_minor: components["schemas"]["Amount"];
            shipping_minor: components["schemas"]["Amount"];
            shipping_discount_minor: components["schemas"]["Amount"];
            tax_minor: components["schemas"]["Amount"];
            total_minor: components["schemas"]["Amount"];
            /** @description Whether tax is inside the prices or added to them. */
            prices_include_tax: boolean;
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "state": "open",
         *       "currency": "EUR",
         *       "items": [
         *         {
         *           "sku": "MUG-BLUE",
         *           "product_id": "019c8f3a-5b20-7d41-9e6b-c3adad4f81b3",
         *           "title": "title",
         *           "quantity": 2,
         *           "unit_price_minor": 1,
         *           "price_version_id": "019c8f3a-5b20-7d41-9e6b-c35dbfe4cdd4",
         *           "subtotal_minor": 1,
         *           "discount_minor": 1,
         *           "tax_minor": 1,
         *           "total_minor": 1,
         *           "availability": "ok"
         *         }
         *       ],
         *       "discount_codes": [
         *         {
         *           "code": "SPRING10",
         *           "state": "applied",
         *           "reason": "Requested by the customer."
         *         }
         *       ],
         *       "shipping_address": {
         *         "name": "name",
         *         "line1": "line1",
         *         "line2": "line2",
         *         "city": "city",
         *         "region": "region",
         *         "postal_code": "postal code",
         *         "country": "DE"
         *       },
         *       "shipping_method_id": "parcel",
         *       "shipping_methods": [
         *         {
         *           "id": "id",
         *           "name": "name",
         *           "amount_minor": 1
         *         }
         *       ],
         *       "totals": {
         *         "subtotal_minor": 1,
         *         "discount_minor": 1,
         *         "shipping_minor": 1,
         *         "shipping_discount_minor": 1,
         *         "tax_minor": 1,
         *         "total_minor": 1,
         *         "prices_include_tax": false
         *       },
         *       "pricing_fingerprint": "jZae727K08KaOmKSgOaGzww_XVqGr_PKEgIMkjrcbJI",
         *       "order_id": "019c8f3a-5b20-7d41-9e6b-ca13a6b2c965",
         *       "version": 1,
         *       "expires_at": "2026-03-02T10:15:00.000Z"
         *     }
         */
        Cart: {
            id: components["schemas"]["Id"];
            /**
             * @description Where it is in its life.
             * @enum {string}
             */
            state: "open" | "locked" | "ordered";
            /** @description A code of ISO 4217. */
            currency: string;
            items: components["schemas"]["CartItem"][];
            /** @description Codes in the order in which they are applied. */
            discount_codes: {
                /** @description The word that buyers enter. */
                code: string;
                /**
                 * @description Where it is in its life.
                 * @enum {string}
                 */
                state: "applied" | "not_applicable";
                /** @description The reason that the caller gave. It is kept in the audit log. */
                reason: string | null;
            }[];
            shipping_address: components["schemas"]["Address"] | null;
            /** @description One of the methods that the cart shows. */
            shipping_method_id: string | null;
            shipping_methods: {
                id: string;
                name: string;
                amount_minor: components["schemas"]["Amount"];
            }[];
            totals: components["schemas"]["Totals"];
            /** @description Stands for all that went into the totals. Send it with the checkout to order only at these. */
            pricing_fingerprint: string;
            order_id: components["schemas"]["Id"] | null;
            version: components["schemas"]["Version"];
            expires_at: components["schemas"]["Time"];
        };
        CartSummary: {
            id: components["schemas"]["Id"];
            /**
             * @description Where it is in its life.
             * @enum {string}
             */
            state: "open" | "locked" | "ordered";
            /** @description A code of ISO 4217. */
            currency: string;
            order_id: components["schemas"]["Id"] | null;
            version: components["schemas"]["Version"];
            created_at: components["schemas"]["Time"];
            updated_at: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "state": "open",
         *           "currency": "EUR",
         *           "order_id": "019c8f3a-5b20-7d41-9e6b-ca13a6b2c965",
         *           "version": 1,
         *           "created_at": "2026-03-02T09:30:00.000Z",
         *           "updated_at": "2026-03-02T10:15:00.000Z"
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        CartSummaryPage: {
            /** @description The items of this page. */
            data: components["schemas"]["CartSummary"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        GivenAddress: {
            name: string;
            line1: string;
            line2?: string;
            city: string;
            region?: string;
            postal_code: string;
            /** @description A code of ISO 3166-1 with two letters. */
            country: string;
        };
        /**
         * @example {
         *       "currency": "EUR",
         *       "shipping_address": {
         *         "name": "name",
         *         "line1": "line1",
         *         "line2": "line2",
         *         "city": "city",
         *         "region": "region",
         *         "postal_code": "postal code",
         *         "country": "DE"
         *       },
         *       "shipping_method_id": "parcel",
         *       "discount_codes": [
         *         "SPRING10"
         *       ]
         *     }
         */
        ChangeCart: {
            /** @description A code of ISO 4217. */
            currency?: string;
            shipping_address?: components["schemas"]["GivenAddress"];
            /** @description One of the methods that the cart shows. */
            shipping_method_id?: string;
            /** @description Codes in the order in which they are applied. */
            discount_codes?: string[];
        };
        /**
         * @example {
         *       "quantity": 2
         *     }
         */
        SetCartItem: {
            /** @description How many. */
            quantity: number;
        };
        /**
         * @example {
         *       "cart_id": "019c8f3a-5b20-7d41-9e6b-eb4226caa562",
         *       "shipping_address": {
         *         "name": "name",
         *         "line1": "line1",
         *         "line2": "line2",
         *         "city": "city",
         *         "region": "region",
         *         "postal_code": "postal code",
         *         "country": "DE"
         *       },
         *       "billing_address": {
         *         "name": "name",
         *         "line1": "line1",
         *         "line2": "line2",
         *         "city": "city",
         *         "region": "region",
         *         "postal_code": "postal code",
         *         "country": "DE"
         *       },
         *       "shipping_method_id": "parcel",
         *       "discount_codes": [
         *         "SPRING10"
         *       ],
         *       "email": "mara@example.com",
         *       "payment": {
         *         "payment_method": "pm_card_visa",
         *         "provider": "stripe",
         *         "return_url": "https://shop.example/back"
         *       },
         *       "pricing_fingerprint": "jZae727K08KaOmKSgOaGzww_XVqGr_PKEgIMkjrcbJI"
         *     }
         */
        Checkout: {
            cart_id: components["schemas"]["Id"];
            shipping_address?: components["schemas"]["GivenAddress"];
            billing_address?: components["schemas"]["GivenAddress"];
            /** @description One of the methods that the cart shows. */
            shipping_method_id?: string;
            /** @description Codes that count instead of the cart's. */
            discount_codes?: string[];
            /** @description Where the shop writes to the buyer. */
            email?: string;
            payment?: {
                /** @description The id of a payment method of the provider, never a card number. */
                payment_method: string;
                /** @enum {string} */
                provider?: "stripe";
                /** @description Where the provider sends the buyer back. */
                return_url?: string;
            };
            /** @description Stands for all that went into the totals. Send it with the checkout to order only at these. */
            pricing_fingerprint?: string;
        };
        OrderLine: {
            id: components["schemas"]["Id"];
            line_no: number;
            /** @description What is sold and stocked, by the name that the shop gave it. */
            sku: components["schemas"]["Sku"];
            product_id: components["schemas"]["Id"];
            product_description: string;
            /** @description How many. */
            quantity: number;
            accepted_unit_price_minor: components["schemas"]["Amount"];
            subtotal_minor: components["schemas"]["Amount"];
            discount_minor: components["schemas"]["Amount"];
            tax_minor: components["schemas"]["Amount"];
            total_minor: components["schemas"]["Amount"];
            /** @description A code of ISO 4217. */
            currency: string;
            price_version_id: components["schemas"]["Id"];
            tax_breakdown: {
                name: string;
                /** @description A rate in parts per million: 190000 is 19 %. */
                rate_ppm: number;
                amount_minor: components["schemas"]["Amount"];
                tax_rule_version: number;
            }[];
            shipped_quantity: number;
            returned_quantity: number;
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "order_id": "019c8f3a-5b20-7d41-9e6b-ca13a6b2c965",
         *       "state": "state",
         *       "lines": [
         *         {
         *           "order_line_id": "019c8f3a-5b20-7d41-9e6b-47ed97bdb627",
         *           "quantity": 2
         *         }
         *       ],
         *       "carrier": "DHL",
         *       "tracking_number": "00340434161094042557",
         *       "created_at": "2026-03-02T09:30:00.000Z",
         *       "shipped_at": "2026-03-02T09:30:00.000Z",
         *       "delivered_at": "2026-03-02T09:30:00.000Z"
         *     }
         */
        Shipment: {
            id: components["schemas"]["Id"];
            order_id: components["schemas"]["Id"];
            /** @description Where it is in its life. */
            state: string;
            lines: {
                order_line_id: components["schemas"]["Id"];
                /** @description How many. */
                quantity: number;
            }[];
            /** @description Who carries it. */
            carrier: string | null;
            /** @description The number by which the carrier knows it. */
            tracking_number: string | null;
            created_at: components["schemas"]["Time"];
            shipped_at: components["schemas"]["Time"] | null;
            delivered_at: components["schemas"]["Time"] | null;
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "order_id": "019c8f3a-5b20-7d41-9e6b-ca13a6b2c965",
         *       "state": "requested",
         *       "lines": [
         *         {
         *           "order_line_id": "019c8f3a-5b20-7d41-9e6b-47ed97bdb627",
         *           "quantity": 2,
         *           "received_quantity": 1,
         *           "restock": true,
         *           "reason_code": "changed_mind",
         *           "refund_minor": 1
         *         }
         *       ],
         *       "refund_shipping": "none",
         *       "restocking_fee_minor": 500,
         *       "refund": {
         *         "operation_id": "019c8f3a-5b20-7d41-9e6b-9a9856b253f7",
         *         "amount_minor": 1,
         *         "state": "pending"
         *       },
         *       "note": "note",
         *       "version": 1,
         *       "created_at": "2026-03-02T09:30:00.000Z"
         *     }
         */
        Return: {
            id: components["schemas"]["Id"];
            order_id: components["schemas"]["Id"];
            /**
             * @description Where it is in its life.
             * @enum {string}
             */
            state: "requested" | "approved" | "rejected" | "cancelled" | "received" | "refund_pending" | "refunded" | "refund_failed";
            lines: {
                order_line_id: components["schemas"]["Id"];
                /** @description How many. */
                quantity: number;
                /** @description How many came back. */
                received_quantity: number | null;
                /** @description Whether they are sold again. */
                restock: boolean | null;
                /** @description Why, in one word. */
                reason_code: string;
                refund_minor: components["schemas"]["Amount"] | null;
            }[];
            /** @enum {string} */
            refund_shipping: "none" | "full";
            /** @description What is kept of the refund. */
            restocking_fee_minor: components["schemas"]["Amount"];
            refund: {
                operation_id: components["schemas"]["Id"];
                amount_minor: components["schemas"]["Amount"];
                /**
                 * @description Where it is in its life.
                 * @enum {string}
                 */
                state: "pending" | "succeeded" | "failed";
            } | null;
            note: string | null;
            version: components["schemas"]["Version"];
            created_at: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "status": "pending",
         *       "number": 1042,
         *       "state": "pending",
         *       "version": 1,
         *       "currency": "EUR",
         *       "buyer_id": "019c8f3a-5b20-7d41-9e6b-bbb99d2c293c",
         *       "cart_id": "019c8f3a-5b20-7d41-9e6b-eb4226caa562",
         *       "email": "mara@example.com",
         *       "lines": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "line_no": 1,
         *           "sku": "MUG-BLUE",
         *           "product_id": "019c8f3a-5b20-7d41-9e6b-c3adad4f81b3",
         *           "product_description": "product description",
         *           "quantity": 2,
         *           "accepted_unit_price_minor": 1,
         *           "subtotal_minor": 1,
         *           "discount_minor": 1,
         *           "tax_minor": 1,
         *           "total_minor": 1,
         *           "currency": "EUR",
         *           "price_version_id": "019c8f3a-5b20-7d41-9e6b-c35dbfe4cdd4",
         *           "tax_breakdown": [
         *             {
         *               "name": "name",
         *               "rate_ppm": 190000,
         *               "amount_minor": 1,
         *               "tax_rule_version": 1
         *             }
         *           ],
         *           "shipped_quantity": 1,
         *           "returned_quantity": 1
         *         }
         *       ],
         *       "shipping": {
         *         "method_id": "method id",
         *         "name": "name",
         *         "amount_minor": 1,
         *         "discount_minor": 1,
         *         "tax_minor": 1
         *       },
         *       "discounts": [
         *         {
         *           "code": "SPRING10",
         *           "amount_minor": 1
         *         }
         *       ],
         *       "totals": {
         *         "subtotal_minor": 1,
         *         "discount_minor": 1,
         *         "shipping_minor": 1,
         *         "shipping_discount_minor": 1,
         *         "tax_minor": 1,
         *         "total_minor": 1,
         *         "prices_include_tax": false
         *       },
         *       "shipping_address": {
         *         "name": "name",
         *         "line1": "line1",
         *         "line2": "line2",
         *         "city": "city",
         *         "region": "region",
         *         "postal_code": "postal code",
         *         "country": "DE"
         *       },
         *       "billing_address": {
         *         "name": "name",
         *         "line1": "line1",
         *         "line2": "line2",
         *         "city": "city",
         *         "region": "region",
         *         "postal_code": "postal code",
         *         "country": "DE"
         *       },
         *       "payment": {
         *         "state": "none",
         *         "operation_id": "019c8f3a-5b20-7d41-9e6b-9a9856b253f7",
         *         "intent_id": "019c8f3a-5b20-7d41-9e6b-fd11a51b9504",
         *         "amount_authorized_minor": 1,
         *         "amount_captured_minor": 1,
         *         "amount_refunded_minor": 1,
         *         "authorization_expires_at": "2026-03-02T10:15:00.000Z",
         *         "last_error": {
         *           "code": "SPRING10",
         *           "decline_code": "decline code"
         *         },
         *         "next_action": {
         *           "type": "type",
         *           "url": "url"
         *         }
         *       },
         *       "reservation": {
         *         "state": "active",
         *         "expires_at": "2026-03-02T10:15:00.000Z"
         *       },
         *       "shipments": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "order_id": "019c8f3a-5b20-7d41-9e6b-ca13a6b2c965",
         *           "state": "state",
         *           "lines": [
         *             {
         *               "order_line_id": "019c8f3a-5b20-7d41-9e6b-47ed97bdb627",
         *               "quantity": 2
         *             }
         *           ],
         *           "carrier": "DHL",
         *           "tracking_number": "00340434161094042557",
         *           "created_at": "2026-03-02T09:30:00.000Z",
         *           "shipped_at": "2026-03-02T09:30:00.000Z",
         *           "delivered_at": "2026-03-02T09:30:00.000Z"
         *         }
         *       ],
         *       "returns": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "order_id": "019c8f3a-5b20-7d41-9e6b-ca13a6b2c965",
         *           "state": "requested",
         *           "lines": [
         *             {
         *               "order_line_id": "019c8f3a-5b20-7d41-9e6b-47ed97bdb627",
         *               "quantity": 2,
         *               "received_quantity": 1,
         *               "restock": true,
         *               "reason_code": "changed_mind",
         *               "refund_minor": 1
         *             }
         *           ],
         *           "refund_shipping": "none",
         *           "restocking_fee_minor": 500,
         *           "refund": {
         *             "operation_id": "019c8f3a-5b20-7d41-9e6b-9a9856b253f7",
         *             "amount_minor": 1,
         *             "state": "pending"
         *           },
         *           "note": "note",
         *           "version": 1,
         *           "created_at": "2026-03-02T09:30:00.000Z"
         *         }
         *       ],
         *       "history": [
         *         {
         *           "from": "pending",
         *           "to": "pending",
         *           "reason_code": "changed_mind",
         *           "at": "2026-03-02T09:30:00.000Z"
         *         }
         *       ],
         *       "calculation": {},
         *       "created_at": "2026-03-02T09:30:00.000Z",
         *       "confirmed_at": "2026-03-02T09:30:00.000Z"
         *     }
         */
        Order: {
            id: components["schemas"]["Id"];
            /** @enum {string} */
            status?: "pending";
            /** @description The number of the order, without gaps in a shop; null before it is confirmed. */
            number: number | null;
            /**
             * @description Where it is in its life.
             * @enum {string}
             */
            state: "pending" | "confirmed" | "fulfilled" | "payment_failed" | "expired" | "cancelled";
            version: components["schemas"]["Version"];
            /** @description A code of ISO 4217. */
            currency: string;
            buyer_id: components["schemas"]["Id"];
            cart_id: components["schemas"]["Id"];
            /** @description Where the shop writes to the buyer. */
            email: string | null;
            lines: components["schemas"]["OrderLine"][];
            shipping: {
                method_id: string;
                name: string;
                amount_minor: components["schemas"]["Amount"];
                discount_minor: components["schemas"]["Amount"];
                tax_minor: components["schemas"]["Amount"];
            } | null;
            discounts: {
                /** @description The word that buyers enter. */
                code: string;
                amount_minor: components["schemas"]["Amount"];
            }[];
            totals: components["schemas"]["Totals"];
            shipping_address: components["schemas"]["Address"] | null;
            billing_address: components["schemas"]["Address"] | null;
            payment: {
                /**
                 * @description Where it is in its life.
                 * @enum {string}
                 */
                state: "none" | "authorizing" | "requires_action" | "pending_provider" | "authorized" | "captured" | "releasing" | "released" | "declined" | "partially_refunded" | "refunded";
                operation_id: components["schemas"]["Id"] | null;
                intent_id: components["schemas"]["Id"] | null;
                amount_authorized_minor: components["schemas"]["Amount"];
                amount_captured_minor: components["schemas"]["Amount"];
                amount_refunded_minor: components["schemas"]["Amount"];
                authorization_expires_at: components["schemas"]["Time"] | null;
                last_error: {
                    /** @description The word that buyers enter. */
                    code: string;
                    decline_code: string | null;
                } | null;
                next_action: {
                    type: string;
                    url: string | null;
                } | null;
            };
            reservation: {
                /**
                 * @description Where it is in its life.
                 * @enum {string}
                 */
                state: "active" | "committed" | "fulfilled" | "expired" | "released";
                expires_at: components["schemas"]["Time"];
            };
            shipments: components["schemas"]["Shipment"][];
            returns: components["schemas"]["Return"][];
            history: {
                from: ("pending" | "confirmed" | "fulfilled" | "payment_failed" | "expired" | "cancelled") | null;
                /** @enum {string} */
                to: "pending" | "confirmed" | "fulfilled" | "payment_failed" | "expired" | "cancelled";
                /** @description Why, in one word. */
                reason_code: string | null;
                at: components["schemas"]["Time"];
            }[];
            calculation?: unknown;
            created_at: components["schemas"]["Time"];
            confirmed_at: components["schemas"]["Time"] | null;
        };
        /**
         * @example {
         *       "violations": 1,
         *       "checks": [
         *         {
         *           "name": "name",
         *           "says": "says",
         *           "violations": [
         *             "violation"
         *           ]
         *         }
         *       ]
         *     }
         */
        CommerceAudit: {
            violations: number;
            checks: {
                name: string;
                says: string;
                violations: string[];
            }[];
        };
        /**
         * @example {
         *       "default_currency": "EUR",
         *       "rounding_mode": "line",
         *       "capture_policy": "on_first_shipment",
         *       "capture_before_expiry": false,
         *       "return_window_days": 30,
         *       "version": 1
         *     }
         */
        CommerceSettings: {
            default_currency: string;
            /**
             * @description Whether tax is rounded on each line or once on the order.
             * @enum {string}
             */
            rounding_mode: "line" | "order";
            /**
             * @description When the money is taken.
             * @enum {string}
             */
            capture_policy: "on_first_shipment" | "on_confirm";
            /** @description Takes the money of orders that are not shipped a day before it is lost. */
            capture_before_expiry: boolean;
            /** @description How long after shipping goods may be returned. */
            return_window_days: number;
            version: number;
        };
        /**
         * @example {
         *       "default_currency": "EUR",
         *       "rounding_mode": "line",
         *       "capture_policy": "on_first_shipment",
         *       "capture_before_expiry": false,
         *       "return_window_days": 30
         *     }
         */
        PutCommerceSettings: {
            default_currency: string;
            /**
             * @description Whether tax is rounded on each line or once on the order.
             * @enum {string}
             */
            rounding_mode: "line" | "order";
            /**
             * @description When the money is taken.
             * @enum {string}
             */
            capture_policy: "on_first_shipment" | "on_confirm";
            /** @description Takes the money of orders that are not shipped a day before it is lost. */
            capture_before_expiry: boolean;
            /** @description How long after shipping goods may be returned. */
            return_window_days: number;
        };
        /**
         * @example {
         *       "type": "direct",
         *       "member_ids": [
         *         "0198c2f0-6d5e-7cc3-98a1-3f2f7a6b1c01"
         *       ],
         *       "title": "Weekend in the mountains"
         *     }
         */
        CreateConversation: {
            /**
             * @description Two people, or a group.
             * @enum {string}
             */
            type: "direct" | "group";
            /** @description The other members. */
            member_ids: components["schemas"]["Id"][];
            /** @description The name of a group. */
            title?: string;
        };
        Attachment: {
            id: components["schemas"]["Id"];
            file_id: components["schemas"]["Id"] | null;
            /**
             * @description Whether messages may be sent.
             * @enum {string}
             */
            state: "pending" | "processing" | "available" | "rejected" | "deleted";
            media_type: string | null;
            size: number;
            /** @description The name that readers see. */
            filename: string | null;
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "conversation_id": "019c8f3a-5b20-7d41-9e6b-5c9b37b35b23",
         *       "sequence": 42,
         *       "revision": 57,
         *       "sender_id": "019c8f3a-5b20-7d41-9e6b-085ff28f23aa",
         *       "client_request_id": "a-key-of-the-sender-0001",
         *       "body": "See you at eight.",
         *       "reply_to_sequence": 41,
         *       "version": 1,
         *       "attachments": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "file_id": "019c8f3a-5b20-7d41-9e6b-5c78f6199cc3",
         *           "state": "pending",
         *           "media_type": "media type",
         *           "size": 1,
         *           "filename": "route.gpx"
         *         }
         *       ],
         *       "created_at": "2026-03-02T09:30:00.000Z",
         *       "edited_at": "2026-03-02T09:30:00.000Z",
         *       "deleted_at": "2026-03-02T09:30:00.000Z"
         *     }
         */
        Message: {
            id: components["schemas"]["Id"];
            conversation_id: components["schemas"]["Id"];
            /** @description The number of the message in its conversation: 1, 2, 3 and so on. */
            sequence: number;
            /** @description The number of the latest change: a message, an edit, a member. */
            revision: number;
            sender_id: components["schemas"]["Id"];
            /** @description The key of the request that sent it; shown to its sender only. */
            client_request_id?: string;
            /** @description The text: up to 8000 characters, in NFC. Null once it is deleted. */
            body: string | null;
            /** @description The message that is answered. */
            reply_to_sequence: number | null;
            /** @description Grows with each edit. */
            version: number;
            attachments: components["schemas"]["Attachment"][];
            created_at: components["schemas"]["Time"];
            edited_at: components["schemas"]["Time"] | null;
            deleted_at: components["schemas"]["Time"] | null;
        };
        /**
         * @example {
         *       "user_id": "019c8f3a-5b20-7d41-9e6b-f89d6b696045",
         *       "role": "owner",
         *       "joined_sequence": 0,
         *       "left_sequence": 1,
         *       "last_read_sequence": 40
         *     }
         */
        ConversationMember: {
            user_id: components["schemas"]["Id"];
            /**
             * @description What the member may do: the owner changes roles, admins change the group.
             * @enum {string}
             */
            role: "owner" | "admin" | "member";
            /** @description The person sees the messages after it. */
            joined_sequence: number;
            /** @description The last message that the person sees; null while they are a member. */
            left_sequence: number | null;
            /** @description How far the person has read. */
            last_read_sequence: number;
        };
        OwnMembership: {
            /**
             * @description What the member may do: the owner changes roles, admins change the group.
             * @enum {string}
             */
            role: "owner" | "admin" | "member";
            /** @description The person sees the messages after it. */
            joined_sequence: number;
            /** @description The last message that the person sees; null while they are a member. */
            left_sequence: number | null;
            /** @description How far the person has read. */
            last_read_sequence: number;
            /** @description How many messages come after the last one that was read. */
            unread_count: number;
            /** @description Until when no pushes are sent; null: they are sent. */
            muted_until: components["schemas"]["Time"] | null;
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "type": "direct",
         *       "title": "Weekend in the mountains",
         *       "state": "active",
         *       "created_at": "2026-03-02T09:30:00.000Z",
         *       "latest_sequence": 42,
         *       "revision": 57,
         *       "last_message_at": "2026-03-02T10:15:00.000Z",
         *       "last_message": {
         *         "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *         "conversation_id": "019c8f3a-5b20-7d41-9e6b-5c9b37b35b23",
         *         "sequence": 42,
         *         "revision": 57,
         *         "sender_id": "019c8f3a-5b20-7d41-9e6b-085ff28f23aa",
         *         "client_request_id": "a-key-of-the-sender-0001",
         *         "body": "See you at eight.",
         *         "reply_to_sequence": 41,
         *         "version": 1,
         *         "attachments": [
         *           {
         *             "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *             "file_id": "019c8f3a-5b20-7d41-9e6b-5c78f6199cc3",
         *             "state": "pending",
         *             "media_type": "media type",
         *             "size": 1,
         *             "filename": "route.gpx"
         *           }
         *         ],
         *         "created_at": "2026-03-02T09:30:00.000Z",
         *         "edited_at": "2026-03-02T09:30:00.000Z",
         *         "deleted_at": "2026-03-02T09:30:00.000Z"
         *       },
         *       "member_count": 1,
         *       "members": [
         *         {
         *           "user_id": "019c8f3a-5b20-7d41-9e6b-f89d6b696045",
         *           "role": "owner",
         *           "joined_sequence": 0,
         *           "left_sequence": 1,
         *           "last_read_sequence": 40
         *         }
         *       ],
         *       "me": {
         *         "role": "owner",
         *         "joined_sequence": 0,
         *         "left_sequence": 1,
         *         "last_read_sequence": 40,
         *         "unread_count": 2,
         *         "muted_until": "2026-03-02T10:15:00.000Z"
         *       }
         *     }
         */
        Conversation: {
            id: components["schemas"]["Id"];
            /**
             * @description Two people, or a group.
             * @enum {string}
             */
            type: "direct" | "group";
            /** @description The name of a group. */
            title: string | null;
            /**
             * @description Whether messages may be sent.
             * @enum {string}
             */
            state: "active" | "closed";
            created_at: components["schemas"]["Time"];
            /** @description The sequence of the latest message. */
            latest_sequence: number;
            /** @description The number of the latest change: a message, an edit, a member. */
            revision: number;
            last_message_at: components["schemas"]["Time"] | null;
            last_message: components["schemas"]["Message"] | null;
            member_count: number;
            members: components["schemas"]["ConversationMember"][];
            me: components["schemas"]["OwnMembership"];
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "type": "direct",
         *           "title": "Weekend in the mountains",
         *           "state": "active",
         *           "created_at": "2026-03-02T09:30:00.000Z",
         *           "latest_sequence": 42,
         *           "revision": 57,
         *           "last_message_at": "2026-03-02T10:15:00.000Z",
         *           "last_message": {
         *             "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *             "conversation_id": "019c8f3a-5b20-7d41-9e6b-5c9b37b35b23",
         *             "sequence": 42,
         *             "revision": 57,
         *             "sender_id": "019c8f3a-5b20-7d41-9e6b-085ff28f23aa",
         *             "client_request_id": "a-key-of-the-sender-0001",
         *             "body": "See you at eight.",
         *             "reply_to_sequence": 41,
         *             "version": 1,
         *             "attachments": [
         *               {
         *                 "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *                 "file_id": "019c8f3a-5b20-7d41-9e6b-5c78f6199cc3",
         *                 "state": "pending",
         *                 "media_type": "media type",
         *                 "size": 1,
         *                 "filename": "route.gpx"
         *               }
         *             ],
         *             "created_at": "2026-03-02T09:30:00.000Z",
         *             "edited_at": "2026-03-02T09:30:00.000Z",
         *             "deleted_at": "2026-03-02T09:30:00.000Z"
         *           },
         *           "member_count": 1,
         *           "members": [
         *             {
         *               "user_id": "019c8f3a-5b20-7d41-9e6b-f89d6b696045",
         *               "role": "owner",
         *               "joined_sequence": 0,
         *               "left_sequence": 1,
         *               "last_read_sequence": 40
         *             }
         *           ],
         *           "me": {
         *             "role": "owner",
         *             "joined_sequence": 0,
         *             "left_sequence": 1,
         *             "last_read_sequence": 40,
         *             "unread_count": 2,
         *             "muted_until": "2026-03-02T10:15:00.000Z"
         *           }
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        ConversationPage: {
            /** @description The items of this page. */
            data: components["schemas"]["Conversation"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "title": "Weekend in the mountains",
         *       "state": "active"
         *     }
         */
        ChangeConversation: {
            /** @description The name of a group. */
            title?: string | null;
            /**
             * @description Whether messages may be sent.
             * @enum {string}
             */
            state?: "active" | "closed";
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "conversation_id": "019c8f3a-5b20-7d41-9e6b-5c9b37b35b23",
         *           "sequence": 42,
         *           "revision": 57,
         *           "sender_id": "019c8f3a-5b20-7d41-9e6b-085ff28f23aa",
         *           "client_request_id": "a-key-of-the-sender-0001",
         *           "body": "See you at eight.",
         *           "reply_to_sequence": 41,
         *           "version": 1,
         *           "attachments": [
         *             {
         *               "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *               "file_id": "019c8f3a-5b20-7d41-9e6b-5c78f6199cc3",
         *               "state": "pending",
         *               "media_type": "media type",
         *               "size": 1,
         *               "filename": "route.gpx"
         *             }
         *           ],
         *           "created_at": "2026-03-02T09:30:00.000Z",
         *           "edited_at": "2026-03-02T09:30:00.000Z",
         *           "deleted_at": "2026-03-02T09:30:00.000Z"
         *         }
         *       ],
         *       "members": [
         *         {
         *           "user_id": "019c8f3a-5b20-7d41-9e6b-f89d6b696045",
         *           "role": "owner",
         *           "joined_sequence": 0,
         *           "left_sequence": 1,
         *           "last_read_sequence": 40
         *         }
         *       ],
         *       "revision": 57,
         *       "latest_sequence": 42,
         *       "next_after": 62,
         *       "has_more": true
         *     }
         */
        Changes: {
            /** @description The items of this page. */
            data: components["schemas"]["Message"][];
            members: components["schemas"]["ConversationMember"][];
            /** @description The number of the latest change: a message, an edit, a member. */
            revision: number;
            /** @description The sequence of the latest message. */
            latest_sequence: number;
            /** @description Send it as `after` for the next page; null at the end. */
            next_after: number | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "user_id": "019c8f3a-5b20-7d41-9e6b-f89d6b696045",
         *           "role": "owner",
         *           "joined_sequence": 0,
         *           "left_sequence": 1,
         *           "last_read_sequence": 40
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        ConversationMemberPage: {
            /** @description The items of this page. */
            data: components["schemas"]["ConversationMember"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "user_ids": [
         *         "0198c2f0-6d5e-7cc3-98a1-3f2f7a6b1c01"
         *       ],
         *       "role": "admin"
         *     }
         */
        AddMembers: {
            /** @description The people to add. */
            user_ids: components["schemas"]["Id"][];
            /**
             * @description What the member may do: the owner changes roles, admins change the group.
             * @enum {string}
             */
            role?: "admin" | "member";
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "user_id": "019c8f3a-5b20-7d41-9e6b-f89d6b696045",
         *           "role": "owner",
         *           "joined_sequence": 0,
         *           "left_sequence": 1,
         *           "last_read_sequence": 40
         *         }
         *       ]
         *     }
         */
        Members: {
            /** @description The items of this page. */
            data: components["schemas"]["ConversationMember"][];
        };
        /**
         * @example {
         *       "muted_until": "2026-03-02T10:15:00.000Z"
         *     }
         */
        Mute: {
            /** @description Until when no pushes are sent; null: they are sent. */
            muted_until?: components["schemas"]["Time"] | null;
        };
        /**
         * @example {
         *       "role": "owner"
         *     }
         */
        ChangeMember: {
            /**
             * @description What the member may do: the owner changes roles, admins change the group.
             * @enum {string}
             */
            role: "owner" | "admin" | "member";
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "conversation_id": "019c8f3a-5b20-7d41-9e6b-5c9b37b35b23",
         *           "sequence": 42,
         *           "revision": 57,
         *           "sender_id": "019c8f3a-5b20-7d41-9e6b-085ff28f23aa",
         *           "client_request_id": "a-key-of-the-sender-0001",
         *           "body": "See you at eight.",
         *           "reply_to_sequence": 41,
         *           "version": 1,
         *           "attachments": [
         *             {
         *               "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *               "file_id": "019c8f3a-5b20-7d41-9e6b-5c78f6199cc3",
         *               "state": "pending",
         *               "media_type": "media type",
         *               "size": 1,
         *               "filename": "route.gpx"
         *             }
         *           ],
         *           "created_at": "2026-03-02T09:30:00.000Z",
         *           "edited_at": "2026-03-02T09:30:00.000Z",
         *           "deleted_at": "2026-03-02T09:30:00.000Z"
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true,
         *       "next_before": 22,
         *       "next_after": 62,
         *       "latest_sequence": 42,
         *       "revision": 57
         *     }
         */
        History: {
            /** @description The items of this page. */
            data: components["schemas"]["Message"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
            /** @description Send it as `before` for the next page; null at the end. */
            next_before: number | null;
            /** @description Send it as `after` for the next page; null at the end. */
            next_after: number | null;
            /** @description The sequence of the latest message. */
            latest_sequence: number;
            /** @description The number of the latest change: a message, an edit, a member. */
            revision: number;
        };
        /**
         * @example {
         *       "body": "See you at eight.",
         *       "attachment_ids": [
         *         "019c8f3a-5b20-7d41-9e6b-2552b3e104e8"
         *       ],
         *       "reply_to_sequence": 41
         *     }
         */
        SendMessage: {
            /** @description The text; a message without attachments needs one. */
            body?: string;
            attachment_ids?: components["schemas"]["Id"][];
            /** @description The message that is answered. */
            reply_to_sequence?: number;
        };
        /**
         * @example {
         *       "body": "See you at eight."
         *     }
         */
        EditMessage: {
            /** @description The text: up to 8000 characters, in NFC. Null once it is deleted. */
            body: string;
        };
        MessageVersion: {
            /** @description Grows with each edit. */
            version: number;
            /** @description The text: up to 8000 characters, in NFC. Null once it is deleted. */
            body: string;
            edited_at: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "version": 1,
         *           "body": "See you at eight.",
         *           "edited_at": "2026-03-02T09:30:00.000Z"
         *         }
         *       ]
         *     }
         */
        MessageVersions: {
            /** @description The items of this page. */
            data: components["schemas"]["MessageVersion"][];
        };
        /**
         * @example {
         *       "through_sequence": 42
         *     }
         */
        MarkRead: {
            /** @description The last message that was read. */
            through_sequence: number;
        };
        /**
         * @example {
         *       "last_read_sequence": 40,
         *       "unread_count": 2
         *     }
         */
        ReadState: {
            /** @description How far the person has read. */
            last_read_sequence: number;
            /** @description How many messages come after the last one that was read. */
            unread_count: number;
        };
        Deprecation: {
            operation: string;
            deprecated_at: string;
            sunset_at: string;
            replacement: string;
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "operation": "operation",
         *           "deprecated_at": "deprecated at",
         *           "sunset_at": "sunset at",
         *           "replacement": "replacement"
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        DeprecationPage: {
            /** @description The items of this page. */
            data: components["schemas"]["Deprecation"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "user_id": "019c8f3a-5b20-7d41-9e6b-f89d6b696045",
         *       "platform": "web",
         *       "push_token_ref": "019c8f3a-5b20-7d41-9e6b-fe6f4b268b7a",
         *       "created_at": "2026-03-02T09:30:00.000Z",
         *       "last_seen_at": "2026-03-02T10:15:00.000Z"
         *     }
         */
        Device: {
            id: components["schemas"]["Id"];
            user_id: components["schemas"]["Id"];
            /**
             * @description What kind of device it is.
             * @enum {string}
             */
            platform: "web" | "ios" | "android" | "other";
            /** @description Stands for the push token. */
            push_token_ref: components["schemas"]["Id"] | null;
            created_at: components["schemas"]["Time"];
            last_seen_at: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "user_id": "019c8f3a-5b20-7d41-9e6b-f89d6b696045",
         *           "platform": "web",
         *           "push_token_ref": "019c8f3a-5b20-7d41-9e6b-fe6f4b268b7a",
         *           "created_at": "2026-03-02T09:30:00.000Z",
         *           "last_seen_at": "2026-03-02T10:15:00.000Z"
         *         }
         *       ]
         *     }
         */
        Devices: {
            /** @description The items of this page. */
            data: components["schemas"]["Device"][];
        };
        /**
         * @example {
         *       "platform": "web",
         *       "push_provider": "fcm",
         *       "push_token": "fcm-token-of-this-device",
         *       "push_subscription": {
         *         "endpoint": "endpoint",
         *         "keys": {
         *           "p256dh": "p256dh",
         *           "auth": "auth"
         *         }
         *       }
         *     }
         */
        PutDevice: {
            /**
             * @description What kind of device it is.
             * @enum {string}
             */
            platform: "web" | "ios" | "android" | "other";
            /** @enum {string} */
            push_provider?: "fcm" | "webpush";
            /** @description The token of the push service; it is not shown again. */
            push_token?: string;
            push_subscription?: {
                endpoint: string;
                keys: {
                    p256dh: string;
                    auth: string;
                };
            };
        };
        /**
         * @example {
         *       "code": "SPRING10",
         *       "kind": "percent",
         *       "rate_ppm": 190000,
         *       "amount_minor": 1,
         *       "currency": "EUR",
         *       "scope": "order",
         *       "skus": [
         *         "MUG-BLUE"
         *       ],
         *       "categories": [
         *         "kitchen/mugs"
         *       ],
         *       "min_subtotal_minor": 1,
         *       "usage_limit": 100,
         *       "used": 1,
         *       "stackable": false,
         *       "starts_at": "2026-03-02T09:30:00.000Z",
         *       "ends_at": "2026-03-02T10:15:00.000Z",
         *       "state": "active",
         *       "version": 1,
         *       "updated_at": "2026-03-02T10:15:00.000Z"
         *     }
         */
        Discount: {
            /** @description The word that buyers enter. */
            code: string;
            /** @enum {string} */
            kind: "percent" | "fixed" | "free_shipping";
            /** @description A rate in parts per million: 190000 is 19 %. */
            rate_ppm: number | null;
            amount_minor: number | null;
            /** @description A code of ISO 4217. */
            currency: string | null;
            /** @enum {string} */
            scope: "order" | "lines";
            skus: components["schemas"]["Sku"][];
            categories: string[];
            min_subtotal_minor: number | null;
            /** @description How often the code may be used in all. */
            usage_limit: number | null;
            used?: number;
            /** @description Whether it counts together with other codes. */
            stackable: boolean;
            starts_at: components["schemas"]["Time"] | null;
            ends_at: components["schemas"]["Time"] | null;
            /**
             * @description Where it is in its life.
             * @enum {string}
             */
            state: "active" | "disabled";
            version: components["schemas"]["Version"];
            updated_at: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "code": "SPRING10",
         *           "kind": "percent",
         *           "rate_ppm": 190000,
         *           "amount_minor": 1,
         *           "currency": "EUR",
         *           "scope": "order",
         *           "skus": [
         *             "MUG-BLUE"
         *           ],
         *           "categories": [
         *             "kitchen/mugs"
         *           ],
         *           "min_subtotal_minor": 1,
         *           "usage_limit": 100,
         *           "used": 1,
         *           "stackable": false,
         *           "starts_at": "2026-03-02T09:30:00.000Z",
         *           "ends_at": "2026-03-02T10:15:00.000Z",
         *           "state": "active",
         *           "version": 1,
         *           "updated_at": "2026-03-02T10:15:00.000Z"
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        DiscountPage: {
            /** @description The items of this page. */
            data: components["schemas"]["Discount"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "kind": "percent",
         *       "rate_ppm": 190000,
         *       "amount_minor": 1,
         *       "currency": "EUR",
         *       "scope": "order",
         *       "skus": [
         *         "MUG-BLUE"
         *       ],
         *       "categories": [
         *         "kitchen/mugs"
         *       ],
         *       "min_subtotal_minor": 1,
         *       "usage_limit": 100,
         *       "stackable": false,
         *       "starts_at": "2026-03-02T09:30:00.000Z",
         *       "ends_at": "2026-03-02T10:15:00.000Z",
         *       "state": "active"
         *     }
         */
        PutDiscount: {
            /** @enum {string} */
            kind: "percent" | "fixed" | "free_shipping";
            /** @description A rate in parts per million: 190000 is 19 %. */
            rate_ppm?: number;
            amount_minor?: number;
            /** @description A code of ISO 4217. */
            currency?: string;
            /** @enum {string} */
            scope?: "order" | "lines";
            skus?: components["schemas"]["Sku"][];
            categories?: string[];
            min_subtotal_minor?: number;
            /** @description How often the code may be used in all. */
            usage_limit?: number;
            /** @description Whether it counts together with other codes. */
            stackable?: boolean;
            starts_at?: components["schemas"]["Time"];
            ends_at?: components["schemas"]["Time"];
            /**
             * @description Where it is in its life.
             * @enum {string}
             */
            state?: "active" | "disabled";
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "intent_id": "019c8f3a-5b20-7d41-9e6b-fd11a51b9504",
         *       "provider_dispute_id": "dp_1Q9x",
         *       "amount_minor": 4990,
         *       "fee_minor": 175,
         *       "currency": "EUR",
         *       "state": "warning",
         *       "reason": "Requested by the customer.",
         *       "respond_by": "2026-03-02T09:30:00.000Z",
         *       "created_at": "2026-03-02T09:30:00.000Z",
         *       "closed_at": "2026-03-02T09:30:00.000Z"
         *     }
         */
        Dispute: {
            id: components["schemas"]["Id"];
            /** @description The payment. */
            intent_id: components["schemas"]["Id"];
            /** @description The id that the provider gave to the dispute. */
            provider_dispute_id: string;
            /** @description The amount in whole minor units of the currency (cents). */
            amount_minor: components["schemas"]["Amount"];
            /** @description The fee of the provider in minor units. */
            fee_minor: components["schemas"]["Amount"];
            /** @description The currency, by ISO 4217. */
            currency: string;
            /**
             * @description The state.
             * @enum {string}
             */
            state: "warning" | "needs_response" | "under_review" | "won" | "lost" | "closed";
            /** @description The reason that the caller gave. It is kept in the audit log. */
            reason: string;
            /** @description Until when the bank accepts evidence. */
            respond_by: components["schemas"]["Time"] | null;
            created_at: components["schemas"]["Time"];
            /** @description When it was decided. */
            closed_at: components["schemas"]["Time"] | null;
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "intent_id": "019c8f3a-5b20-7d41-9e6b-fd11a51b9504",
         *           "provider_dispute_id": "dp_1Q9x",
         *           "amount_minor": 4990,
         *           "fee_minor": 175,
         *           "currency": "EUR",
         *           "state": "warning",
         *           "reason": "Requested by the customer.",
         *           "respond_by": "2026-03-02T09:30:00.000Z",
         *           "created_at": "2026-03-02T09:30:00.000Z",
         *           "closed_at": "2026-03-02T09:30:00.000Z"
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        DisputePage: {
            /** @description The items of this page. */
            data: components["schemas"]["Dispute"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "hostname": "go.example.com",
         *       "root_url": "root url"
         *     }
         */
        ClaimDomain: {
            /** @description The host that carries links. */
            hostname: string;
            root_url?: string | null;
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "owner_id": "019c8f3a-5b20-7d41-9e6b-8b848a683efe",
         *       "hostname": "go.example.com",
         *       "state": "pending_verification",
         *       "root_url": "root url",
         *       "checked_at": "2026-03-02T09:30:00.000Z",
         *       "version": 1,
         *       "created_at": "2026-03-02T09:30:00.000Z",
         *       "updated_at": "2026-03-02T10:15:00.000Z",
         *       "verification": {
         *         "method": "dns_txt",
         *         "record_name": "record name",
         *         "record_value": "record value",
         *         "expires_at": "2026-03-02T10:15:00.000Z"
         *       },
         *       "routing": {
         *         "cname_target": "cname target"
         *       }
         *     }
         */
        NewDomain: {
            id: components["schemas"]["Id"];
            owner_id: components["schemas"]["Id"];
            /** @description The host that carries links. */
            hostname: string;
            /** @enum {string} */
            state: "pending_verification" | "active" | "suspended" | "removed";
            root_url: string | null;
            checked_at: components["schemas"]["Time"] | null;
            version: components["schemas"]["Version"];
            created_at: components["schemas"]["Time"];
            updated_at: components["schemas"]["Time"];
            verification: {
                /** @constant */
                method: "dns_txt";
                record_name: string;
                record_value: string;
                expires_at: components["schemas"]["Time"];
            };
            routing: {
                cname_target: string;
            };
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "owner_id": "019c8f3a-5b20-7d41-9e6b-8b848a683efe",
         *       "hostname": "go.example.com",
         *       "state": "pending_verification",
         *       "root_url": "root url",
         *       "checked_at": "2026-03-02T09:30:00.000Z",
         *       "version": 1,
         *       "created_at": "2026-03-02T09:30:00.000Z",
         *       "updated_at": "2026-03-02T10:15:00.000Z"
         *     }
         */
        Domain: {
            id: components["schemas"]["Id"];
            owner_id: components["schemas"]["Id"];
            /** @description The host that carries links. */
            hostname: string;
            /** @enum {string} */
            state: "pending_verification" | "active" | "suspended" | "removed";
            root_url: string | null;
            checked_at: components["schemas"]["Time"] | null;
            version: components["schemas"]["Version"];
            created_at: components["schemas"]["Time"];
            updated_at: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "owner_id": "019c8f3a-5b20-7d41-9e6b-8b848a683efe",
         *           "hostname": "go.example.com",
         *           "state": "pending_verification",
         *           "root_url": "root url",
         *           "checked_at": "2026-03-02T09:30:00.000Z",
         *           "version": 1,
         *           "created_at": "2026-03-02T09:30:00.000Z",
         *           "updated_at": "2026-03-02T10:15:00.000Z"
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        DomainPage: {
            /** @description The items of this page. */
            data: components["schemas"]["Domain"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "email": "ada@example.com",
         *       "current_password": "correct horse battery staple"
         *     }
         */
        RequestEmailChangeBody: {
            /** @description The mail address, as the person wrote it. */
            email: string;
            /** @description The current password. */
            current_password: string;
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "status": "accepted",
         *       "expires_at": "2026-03-02T10:15:00.000Z"
         *     }
         */
        IdentityAccepted: {
            id: components["schemas"]["Id"];
            /** @constant */
            status: "accepted";
            expires_at: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "status": "status",
         *       "created_at": "2026-03-02T09:30:00.000Z",
         *       "expires_at": "2026-03-02T10:15:00.000Z"
         *     }
         */
        IdentityProgress: {
            id: components["schemas"]["Id"];
            status: string;
            created_at: components["schemas"]["Time"];
            expires_at: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "email": "ada@example.com",
         *       "tenant": "acme"
         *     }
         */
        RequestEmailVerificationBody: {
            /** @description The mail address, as the person wrote it. */
            email: string;
            /** @description The name of the tenant in URLs. */
            tenant?: string;
        };
        /**
         * @example {
         *       "token": "token",
         *       "registration_id": "019c8f3a-5b20-7d41-9e6b-074de6fedbb7",
         *       "password": "correct horse battery staple"
         *     }
         */
        VerifyEmailBody: {
            token: string;
            registration_id?: components["schemas"]["Id"];
            /** @description The password; at least 8 characters, and not easy to guess. */
            password?: string;
        };
        /**
         * @example {
         *       "account_id": "019c8f3a-5b20-7d41-9e6b-739b093ae9fb",
         *       "status": "active",
         *       "verified_at": "2026-03-02T09:30:00.000Z"
         *     }
         */
        AddressVerified: {
            account_id: components["schemas"]["Id"];
            /** @constant */
            status: "active";
            verified_at: components["schemas"]["Time"];
        };
        EventConsumer: {
            consumer: string;
            position: number;
            lag_events: number;
            lag_seconds: number;
            parked: number;
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "consumer": "consumer",
         *           "position": 1,
         *           "lag_events": 1,
         *           "lag_seconds": 1,
         *           "parked": 1
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        EventConsumerPage: {
            /** @description The items of this page. */
            data: components["schemas"]["EventConsumer"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "consumer": "consumer",
         *       "event_id": "019c8f3a-5b20-7d41-9e6b-57c7c8267db4",
         *       "aggregate_id": "019c8f3a-5b20-7d41-9e6b-a66c3ac6d454",
         *       "attempts": 1,
         *       "next_attempt_at": "2026-03-02T10:15:00.000Z",
         *       "state": "waiting",
         *       "last_error_code": "last error code"
         *     }
         */
        EventPark: {
            id: components["schemas"]["Id"];
            consumer: string;
            event_id: components["schemas"]["Id"];
            aggregate_id: components["schemas"]["Id"];
            attempts: number;
            next_attempt_at: components["schemas"]["Time"] | null;
            /** @enum {unknown} */
            state: "waiting" | "dead" | "skipped" | "resolved";
            last_error_code: string;
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "consumer": "consumer",
         *           "event_id": "019c8f3a-5b20-7d41-9e6b-57c7c8267db4",
         *           "aggregate_id": "019c8f3a-5b20-7d41-9e6b-a66c3ac6d454",
         *           "attempts": 1,
         *           "next_attempt_at": "2026-03-02T10:15:00.000Z",
         *           "state": "waiting",
         *           "last_error_code": "last error code"
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        EventParkPage: {
            /** @description The items of this page. */
            data: components["schemas"]["EventPark"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "reason": "Requested by the customer."
         *     }
         */
        ParkDecision: {
            /** @description The reason that the caller gave. It is kept in the audit log. */
            reason: string;
        };
        ScanResult: {
            /** @enum {string} */
            verdict: "clean" | "infected" | "policy_violation" | "limit_exceeded";
            engines: {
                name: string;
                version: string;
                /** @description The version of the signatures of the engine. */
                signatures: string | null;
            }[];
            sha256: string;
            scanned_at: components["schemas"]["Time"];
            /** @description What was found; shown with `uploads.quarantine.read` only. */
            findings: string[];
        };
        Derivative: {
            /**
             * @description Which derivative it is.
             * @enum {string}
             */
            kind: "thumbnail" | "preview" | "sanitized";
            /**
             * @description Where it stands; only `available` is safe to read.
             * @enum {string}
             */
            state: "pending" | "ready" | "failed" | "deleted";
            media_type: string | null;
            /** @description The size in bytes. */
            size: number | null;
            /** @description The SHA-256 of the bytes. */
            checksum: string | null;
            /** @description In pixels. */
            width: number | null;
            /** @description In pixels. */
            height: number | null;
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "file_id": "019c8f3a-5b20-7d41-9e6b-5c78f6199cc3",
         *       "upload_id": "019c8f3a-5b20-7d41-9e6b-2bc2b5e4a576",
         *       "owner_id": "019c8f3a-5b20-7d41-9e6b-8b848a683efe",
         *       "purpose": "avatar",
         *       "state": "uploaded",
         *       "stage": "scan",
         *       "error_code": "type_mismatch",
         *       "size": 8388608,
         *       "checksum": "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
         *       "media_category": "image",
         *       "claimed_type": "image/jpeg",
         *       "detected_type": "image/jpeg",
         *       "filename": "holiday.jpg",
         *       "metadata": {
         *         "width": 1280,
         *         "height": 960,
         *         "frames": 1,
         *         "entries": 1,
         *         "expanded_bytes": 1,
         *         "pages": 1
         *       },
         *       "scan_result": {
         *         "verdict": "clean",
         *         "engines": [
         *           {
         *             "name": "name",
         *             "version": "version",
         *             "signatures": "27500"
         *           }
         *         ],
         *         "sha256": "sha256",
         *         "scanned_at": "2026-03-02T09:30:00.000Z",
         *         "findings": [
         *           "finding"
         *         ]
         *       },
         *       "derivatives": [
         *         {
         *           "kind": "thumbnail",
         *           "state": "pending",
         *           "media_type": "media type",
         *           "size": 8388608,
         *           "checksum": "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
         *           "width": 1280,
         *           "height": 960
         *         }
         *       ],
         *       "created_at": "2026-03-02T09:30:00.000Z",
         *       "available_at": "2026-03-02T09:30:00.000Z",
         *       "retention_until": "2026-03-02T10:15:00.000Z",
         *       "deleted_at": "2026-03-02T09:30:00.000Z"
         *     }
         */
        File: {
            id: components["schemas"]["Id"];
            /** @description The file that a completed upload became. */
            file_id: components["schemas"]["Id"];
            /** @description The upload. */
            upload_id: components["schemas"]["Id"];
            owner_id: components["schemas"]["Id"];
            /**
             * @description What the file is for; it decides sizes, types, derivatives and readers.
             * @enum {string}
             */
            purpose: "avatar" | "product_media" | "post_media" | "chat_attachment" | "document_ingest" | "job_input" | "generic";
            /**
             * @description Where it stands; only `available` is safe to read.
             * @enum {string}
             */
            state: "uploaded" | "available" | "quarantined" | "deleted" | "purged";
            /** @description The step of processing that is next, or `verifying`. */
            stage: string | null;
            /** @description Why it was refused. */
            error_code: string | null;
            /** @description The size in bytes. */
            size: number;
            /** @description The SHA-256 of the bytes. */
            checksum: string;
            /**
             * @description The kind of content; `any` accepts every kind.
             * @enum {string}
             */
            media_category: "image" | "video" | "audio" | "document" | "text" | "archive" | "any";
            /** @description The media type that the client states. */
            claimed_type: string | null;
            /** @description The media type that the bytes have. */
            detected_type: string | null;
            /** @description The name that a download gets; never a path. */
            filename: string | null;
            /** @description What the bytes say about themselves. */
            metadata: {
                /** @description In pixels. */
                width?: number;
                /** @description In pixels. */
                height?: number;
                frames?: number;
                entries?: number;
                expanded_bytes?: number;
                pages?: number;
            } | null;
            /** @description What the scanners said. */
            scan_result: components["schemas"]["ScanResult"] | null;
            /** @description What was made of an image. */
            derivatives: components["schemas"]["Derivative"][];
            created_at: components["schemas"]["Time"];
            available_at: components["schemas"]["Time"] | null;
            /** @description When the bytes are removed. */
            retention_until: components["schemas"]["Time"] | null;
            deleted_at: components["schemas"]["Time"] | null;
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "file_id": "019c8f3a-5b20-7d41-9e6b-5c78f6199cc3",
         *           "upload_id": "019c8f3a-5b20-7d41-9e6b-2bc2b5e4a576",
         *           "owner_id": "019c8f3a-5b20-7d41-9e6b-8b848a683efe",
         *           "purpose": "avatar",
         *           "state": "uploaded",
         *           "stage": "scan",
         *           "error_code": "type_mismatch",
         *           "size": 8388608,
         *           "checksum": "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
         *           "media_category": "image",
         *           "claimed_type": "image/jpeg",
         *           "detected_type": "image/jpeg",
         *           "filename": "holiday.jpg",
         *           "metadata": {
         *             "width": 1280,
         *             "height": 960,
         *             "frames": 1,
         *             "entries": 1,
         *             "expanded_bytes": 1,
         *             "pages": 1
         *           },
         *           "scan_result": {
         *             "verdict": "clean",
         *             "engines": [
         *               {
         *                 "name": "name",
         *                 "version": "version",
         *                 "signatures": "27500"
         *               }
         *             ],
         *             "sha256": "sha256",
         *             "scanned_at": "2026-03-02T09:30:00.000Z",
         *             "findings": [
         *               "finding"
         *             ]
         *           },
         *           "derivatives": [
         *             {
         *               "kind": "thumbnail",
         *               "state": "pending",
         *               "media_type": "media type",
         *               "size": 8388608,
         *               "checksum": "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
         *               "width": 1280,
         *               "height": 960
         *             }
         *           ],
         *           "created_at": "2026-03-02T09:30:00.000Z",
         *           "available_at": "2026-03-02T09:30:00.000Z",
         *           "retention_until": "2026-03-02T10:15:00.000Z",
         *           "deleted_at": "2026-03-02T09:30:00.000Z"
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        FilePage: {
            /** @description The items of this page. */
            data: components["schemas"]["File"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "files": [
         *         {
         *           "file_id": "019c8f3a-5b20-7d41-9e6b-5c78f6199cc3",
         *           "derivative": "thumbnail"
         *         }
         *       ],
         *       "expires_in": 300
         *     }
         */
        AskDownloadUrls: {
            files: {
                /** @description The file that a completed upload became. */
                file_id: components["schemas"]["Id"];
                /**
                 * @description A smaller or cleaned form of an image.
                 * @enum {string}
                 */
                derivative?: "thumbnail" | "preview" | "sanitized";
            }[];
            /** @description How long the URL works, in seconds. */
            expires_in?: number;
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "file_id": "019c8f3a-5b20-7d41-9e6b-5c78f6199cc3",
         *           "url": "url",
         *           "expires_at": "2026-03-02T10:15:00.000Z",
         *           "code": "code"
         *         }
         *       ]
         *     }
         */
        DownloadUrls: {
            /** @description The items of this page. */
            data: {
                /** @description The file that a completed upload became. */
                file_id: components["schemas"]["Id"];
                url: string | null;
                /** @description When it ends. */
                expires_at: components["schemas"]["Time"] | null;
                code: string | null;
            }[];
        };
        /**
         * @example {
         *       "url": "url",
         *       "method": "GET",
         *       "expires_at": "2026-03-02T10:15:00.000Z",
         *       "file_id": "019c8f3a-5b20-7d41-9e6b-5c78f6199cc3",
         *       "content_type": "image/jpeg",
         *       "size": 8388608,
         *       "filename": "holiday.jpg",
         *       "checksum": "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
         *     }
         */
        DownloadUrl: {
            url: string;
            /** @constant */
            method: "GET";
            /** @description When it ends. */
            expires_at: components["schemas"]["Time"];
            /** @description The file that a completed upload became. */
            file_id: components["schemas"]["Id"];
            /** @description The media type of the download. */
            content_type: string;
            /** @description The size in bytes. */
            size: number;
            /** @description The name that a download gets; never a path. */
            filename: string | null;
            /** @description The SHA-256 of the bytes. */
            checksum: string;
        };
        /**
         * @example {
         *       "file_id": "019c8f3a-5b20-7d41-9e6b-5c78f6199cc3",
         *       "status": "queued"
         *     }
         */
        Rescan: {
            /** @description The file that a completed upload became. */
            file_id: components["schemas"]["Id"];
            /** @enum {string} */
            status: "queued";
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "tenant_id": "019c8f3a-5b20-7d41-9e6b-759b6ffea819",
         *           "provider": "stripe",
         *           "provider_account": "provider account",
         *           "provider_event_id": "provider event id",
         *           "event_type": "job.succeeded",
         *           "payload_ref": "payload ref",
         *           "signature_key_version": 1,
         *           "received_at": "2026-03-02T09:30:00.000Z",
         *           "processing_state": "received",
         *           "processed_at": "2026-03-02T09:30:00.000Z",
         *           "attempts": 1,
         *           "next_attempt_at": "2026-03-02T10:15:00.000Z",
         *           "last_error_code": "timeout"
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        ListInboundReceiptsReply: {
            /** @description The items of this page. */
            data: {
                id: components["schemas"]["Id"];
                tenant_id: components["schemas"]["Id"];
                /** @description The provider that signs the messages. */
                provider: string;
                provider_account: string;
                provider_event_id: string;
                /** @description The type of the event. */
                event_type: string | null;
                payload_ref: string;
                signature_key_version: number;
                received_at: components["schemas"]["Time"];
                /** @enum {string} */
                processing_state: "received" | "processing" | "processed" | "ignored" | "failed" | "dead";
                processed_at: components["schemas"]["Time"] | null;
                attempts: number;
                next_attempt_at: components["schemas"]["Time"] | null;
                /** @description Why the last attempt failed. */
                last_error_code: string | null;
            }[];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "tenant_id": "019c8f3a-5b20-7d41-9e6b-759b6ffea819",
         *       "provider": "stripe",
         *       "provider_account": "provider account",
         *       "provider_event_id": "provider event id",
         *       "event_type": "job.succeeded",
         *       "payload_ref": "payload ref",
         *       "signature_key_version": 1,
         *       "received_at": "2026-03-02T09:30:00.000Z",
         *       "processing_state": "received",
         *       "processed_at": "2026-03-02T09:30:00.000Z",
         *       "attempts": 1,
         *       "next_attempt_at": "2026-03-02T10:15:00.000Z",
         *       "last_error_code": "timeout"
         *     }
         */
        GetInboundReceiptReply: {
            id: components["schemas"]["Id"];
            tenant_id: components["schemas"]["Id"];
            /** @description The provider that signs the messages. */
            provider: string;
            provider_account: string;
            provider_event_id: string;
            /** @description The type of the event. */
            event_type: string | null;
            payload_ref: string;
            signature_key_version: number;
            received_at: components["schemas"]["Time"];
            /** @enum {string} */
            processing_state: "received" | "processing" | "processed" | "ignored" | "failed" | "dead";
            processed_at: components["schemas"]["Time"] | null;
            attempts: number;
            next_attempt_at: components["schemas"]["Time"] | null;
            /** @description Why the last attempt failed. */
            last_error_code: string | null;
        };
        /**
         * @example {
         *       "content_type": "content type",
         *       "headers": {},
         *       "encoding": "utf8",
         *       "body": "body"
         *     }
         */
        GetInboundPayloadReply: {
            content_type: string | null;
            headers: {
                [key: string]: string;
            };
            /** @enum {string} */
            encoding: "utf8" | "base64";
            body: string;
        };
        /**
         * @example {
         *       "reason": "Requested by the customer."
         *     }
         */
        ReprocessInboundReceiptBody: {
            /** @description The reason that the caller gave. It is kept in the audit log. */
            reason: string;
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "status": "received"
         *     }
         */
        ReprocessInboundReceiptReply: {
            id: components["schemas"]["Id"];
            /** @enum {string} */
            status: "received" | "processing" | "processed" | "ignored" | "failed" | "dead";
        };
        /**
         * @example {
         *       "scheme": "stripe",
         *       "secrets": [
         *         {
         *           "version": 1,
         *           "value": "support_viewer"
         *         }
         *       ],
         *       "tolerance_seconds": 1,
         *       "options": {
         *         "header": "header",
         *         "prefix": "prefix",
         *         "encoding": "hex",
         *         "algorithm": "sha256",
         *         "template": "template",
         *         "timestamp_header": "en",
         *         "id_header": "en",
         *         "id_pointer": "/id"
         *       }
         *     }
         */
        PutInboundSourceBody: {
            /** @enum {string} */
            scheme: "stripe" | "github" | "slack" | "twilio" | "standard" | "generic_hmac";
            secrets: {
                version: number;
                value: string;
            }[];
            tolerance_seconds?: number;
            options?: {
                header?: string;
                prefix?: string;
                /** @enum {string} */
                encoding?: "hex" | "base64";
                /** @enum {string} */
                algorithm?: "sha256" | "sha512";
                template?: string;
                timestamp_header?: string;
                id_header?: string;
                id_pointer?: string;
            };
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "provider": "stripe",
         *       "account_ref": "account ref",
         *       "scheme": "stripe",
         *       "secret_versions": [
         *         1
         *       ],
         *       "tolerance_seconds": 1,
         *       "options": {
         *         "header": "header",
         *         "prefix": "prefix",
         *         "encoding": "hex",
         *         "algorithm": "sha256",
         *         "template": "template",
         *         "timestamp_header": "en",
         *         "id_header": "en",
         *         "id_pointer": "/id"
         *       },
         *       "url": "url",
         *       "created_at": "2026-03-02T09:30:00.000Z",
         *       "updated_at": "2026-03-02T10:15:00.000Z"
         *     }
         */
        PutInboundSourceReply: {
            id: components["schemas"]["Id"];
            /** @description The provider that signs the messages. */
            provider: string;
            account_ref: string;
            /** @enum {string} */
            scheme: "stripe" | "github" | "slack" | "twilio" | "standard" | "generic_hmac";
            secret_versions: number[];
            tolerance_seconds: number;
            options: {
                header?: string;
                prefix?: string;
                /** @enum {string} */
                encoding?: "hex" | "base64";
                /** @enum {string} */
                algorithm?: "sha256" | "sha512";
                template?: string;
                timestamp_header?: string;
                id_header?: string;
                id_pointer?: string;
            };
            url: string;
            created_at: components["schemas"]["Time"];
            updated_at: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "provider": "stripe",
         *       "account_ref": "account ref",
         *       "scheme": "stripe",
         *       "secret_versions": [
         *         1
         *       ],
         *       "tolerance_seconds": 1,
         *       "options": {
         *         "header": "header",
         *         "prefix": "prefix",
         *         "encoding": "hex",
         *         "algorithm": "sha256",
         *         "template": "template",
         *         "timestamp_header": "en",
         *         "id_header": "en",
         *         "id_pointer": "/id"
         *       },
         *       "url": "url",
         *       "created_at": "2026-03-02T09:30:00.000Z",
         *       "updated_at": "2026-03-02T10:15:00.000Z"
         *     }
         */
        GetInboundSourceReply: {
            id: components["schemas"]["Id"];
            /** @description The provider that signs the messages. */
            provider: string;
            account_ref: string;
            /** @enum {string} */
            scheme: "stripe" | "github" | "slack" | "twilio" | "standard" | "generic_hmac";
            secret_versions: number[];
            tolerance_seconds: number;
            options: {
                header?: string;
                prefix?: string;
                /** @enum {string} */
                encoding?: "hex" | "base64";
                /** @enum {string} */
                algorithm?: "sha256" | "sha512";
                template?: string;
                timestamp_header?: string;
                id_header?: string;
                id_pointer?: string;
            };
            url: string;
            created_at: components["schemas"]["Time"];
            updated_at: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "sequence": 17,
         *       "category": "order.updates",
         *       "title": "Your parcel is on its way",
         *       "body": "{{ parcel }} arrives today.",
         *       "url": "/orders/A-17",
         *       "read_at": "2026-03-02T09:30:00.000Z",
         *       "archived_at": "2026-03-02T09:30:00.000Z",
         *       "created_at": "2026-03-02T09:30:00.000Z"
         *     }
         */
        InboxItem: {
            id: components["schemas"]["Id"];
            /** @description The place of the item in the inbox. */
            sequence: number;
            /** @description The kind of message; preferences and permissions are by category. */
            category: string;
            /** @description The title, as a Liquid template. */
            title: string;
            /** @description The text, as a Liquid template. */
            body: string;
            /** @description Where the message leads: an https address or a path. */
            url: string | null;
            read_at: components["schemas"]["Time"] | null;
            archived_at: components["schemas"]["Time"] | null;
            created_at: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "sequence": 17,
         *           "category": "order.updates",
         *           "title": "Your parcel is on its way",
         *           "body": "{{ parcel }} arrives today.",
         *           "url": "/orders/A-17",
         *           "read_at": "2026-03-02T09:30:00.000Z",
         *           "archived_at": "2026-03-02T09:30:00.000Z",
         *           "created_at": "2026-03-02T09:30:00.000Z"
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        InboxItemPage: {
            /** @description The items of this page. */
            data: components["schemas"]["InboxItem"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "before": "2026-03-02T09:30:00.000Z"
         *     }
         */
        ReadAllInboxItemsBody: {
            /** @description Items that came up to this time. */
            before?: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "read": 1,
         *       "unread_count": 1
         *     }
         */
        ReadAllInboxItemsReply: {
            read: number;
            unread_count: number;
        };
        /**
         * @example {
         *       "unread_count": 1
         *     }
         */
        CountUnreadInboxItemsReply: {
            unread_count: number;
        };
        /**
         * @example {
         *       "read": false,
         *       "archived": false
         *     }
         */
        ChangeInboxItem: {
            read?: boolean;
            archived?: boolean;
        };
        /**
         * @example {
         *       "sku": "MUG-BLUE",
         *       "on_hand": 100,
         *       "reserved": 3,
         *       "available": 97,
         *       "version": 1
         *     }
         */
        InventoryItem: {
            /** @description What is sold and stocked, by the name that the shop gave it. */
            sku: components["schemas"]["Sku"];
            /** @description Units in the warehouse, reserved ones too. */
            on_hand: number;
            /** @description Units that orders hold. */
            reserved: number;
            /** @description Units that can be ordered. */
            available: number;
            version: components["schemas"]["Version"];
        };
        /**
         * @example {
         *       "delta": 100,
         *       "reason": "received",
         *       "note": "note"
         *     }
         */
        AdjustInventory: {
            /** @description How many are added, or taken off if negative. */
            delta: number;
            /**
             * @description The reason that the caller gave. It is kept in the audit log.
             * @enum {string}
             */
            reason: "received" | "correction" | "damaged";
            note?: string;
        };
        /**
         * @example {
         *       "email": "ada@example.com",
         *       "role_ids": [
         *         "support_viewer"
         *       ],
         *       "display_name": "Ada Lovelace",
         *       "locale": "en"
         *     }
         */
        InviteAccountBody: {
            /** @description The mail address, as the person wrote it. */
            email: string;
            role_ids?: string[];
            /** @description The display name of the person. */
            display_name?: string;
            /** @description The language of mails, by BCP 47. */
            locale?: string;
        };
        /**
         * @example {
         *       "lease_token": "lt_9fK2mQ4x",
         *       "version": 1,
         *       "outcome": "succeeded",
         *       "after_seconds": 1,
         *       "result": {},
         *       "result_ref": "019c8f3a-5b20-7d41-9e6b-103b1e5f6122",
         *       "error": {
         *         "code": "code",
         *         "retryable": true,
         *         "retry_after_seconds": 1
         *       }
         *     }
         */
        FinalizeAttempt: {
            /** @description Proves that the worker holds the attempt; each claim has a new one. */
            lease_token: string;
            version: number;
            /** @enum {string} */
            outcome: "succeeded" | "failed" | "cancelled" | "released";
            after_seconds?: number;
            result?: unknown;
            /** @description The id of the stored result. */
            result_ref?: components["schemas"]["Id"];
            error?: {
                code: string;
                /** @description Whether another attempt makes sense. */
                retryable: boolean;
                retry_after_seconds?: number;
            };
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "tenant_id": "019c8f3a-5b20-7d41-9e6b-759b6ffea819",
         *       "type": "demo.count",
         *       "schema_version": 1,
         *       "state": "pending",
         *       "status": "queued",
         *       "priority": 1,
         *       "input_ref": "019c8f3a-5b20-7d41-9e6b-fecb447643f6",
         *       "result_ref": "019c8f3a-5b20-7d41-9e6b-103b1e5f6122",
         *       "idempotency_key": "idempotency key",
         *       "scheduled_at": "2026-03-02T09:30:00.000Z",
         *       "deadline_at": "2026-03-02T10:15:00.000Z",
         *       "cancel_requested_at": "2026-03-02T09:30:00.000Z",
         *       "created_at": "2026-03-02T09:30:00.000Z",
         *       "completed_at": "2026-03-02T09:30:00.000Z",
         *       "version": 1,
         *       "attempt_count": 1,
         *       "max_attempts": 5,
         *       "waiting_reason": "dependencies",
         *       "next_attempt_at": "2026-03-02T10:15:00.000Z",
         *       "progress": {
         *         "sequence": 1,
         *         "stage": "counting",
         *         "current": 4,
         *         "total": 10,
         *         "message_code": "message code",
         *         "recorded_at": "2026-03-02T09:30:00.000Z"
         *       },
         *       "error": {
         *         "code": "code",
         *         "retryable": true,
         *         "cause_job_id": "019c8f3a-5b20-7d41-9e6b-a026d6e1fa30"
         *       },
         *       "usage": {},
         *       "depends_on": [
         *         {
         *           "job_id": "019c8f3a-5b20-7d41-9e6b-abe99299867c",
         *           "required_state": "succeeded",
         *           "satisfied": false
         *         }
         *       ],
         *       "retry_of_job_id": "019c8f3a-5b20-7d41-9e6b-0b9acffaf1a1"
         *     }
         */
        Job: {
            id: components["schemas"]["Id"];
            tenant_id: components["schemas"]["Id"];
            /** @description The name of the job type. */
            type: string;
            /** @description The version of the schema that the parameters fit; the newest one if absent. */
            schema_version: number;
            /** @enum {string} */
            state: "pending" | "retryable" | "running" | "succeeded" | "failed" | "cancelled" | "expired";
            /** @enum {string} */
            status: "queued" | "running" | "succeeded" | "failed" | "cancelled" | "expired";
            /** @description From 0 to 9; a larger one goes first. */
            priority: number;
            /** @description The file that the job works on; the owner of the job must be allowed to read it. */
            input_ref: components["schemas"]["Id"] | null;
            /** @description The id of the stored result. */
            result_ref: components["schemas"]["Id"] | null;
            idempotency_key: string | null;
            scheduled_at: components["schemas"]["Time"] | null;
            /** @description After this time the job expires instead of starting. */
            deadline_at: components["schemas"]["Time"] | null;
            cancel_requested_at: components["schemas"]["Time"] | null;
            created_at: components["schemas"]["Time"];
            completed_at: components["schemas"]["Time"] | null;
            version: number;
            /** @description How many attempts have begun. */
            attempt_count: number;
            /** @description How many attempts the job gets before it fails. */
            max_attempts: number;
            /** @description Why the job does not run yet. */
            waiting_reason: ("dependencies" | "schedule" | "backoff" | "type_paused" | "no_capable_worker" | "tenant_limit" | "fair_share") | null;
            next_attempt_at: components["schemas"]["Time"] | null;
            progress: {
                sequence: number;
                /** @description What the job does now. */
                stage: string;
                /** @description How many steps are done. */
                current: number;
                /** @description How many steps there are. */
                total: number | null;
                message_code: string | null;
                recorded_at: components["schemas"]["Time"];
            } | null;
            error: {
                code: string;
                /** @description Whether another attempt makes sense. */
                retryable: boolean;
                cause_job_id: components["schemas"]["Id"] | null;
            } | null;
            usage: {
                [key: string]: unknown;
            } | null;
            /** @description Jobs that must end first. */
            depends_on: {
                job_id: components["schemas"]["Id"];
                /** @enum {string} */
                required_state: "succeeded" | "terminal";
                satisfied: boolean;
            }[];
            retry_of_job_id: components["schemas"]["Id"] | null;
        };
        /**
         * @example {
         *       "lease_token": "lt_9fK2mQ4x",
         *       "stage": "counting",
         *       "current": 4,
         *       "total": 10,
         *       "message_code": "message code",
         *       "checkpoint": {
         *         "done": 400
         *       }
         *     }
         */
        ReportProgress: {
            /** @description Proves that the worker holds the attempt; each claim has a new one. */
            lease_token: string;
            /** @description What the job does now. */
            stage: string;
            /** @description How many steps are done. */
            current: number;
            /** @description How many steps there are. */
            total?: number;
            message_code?: string;
            /** @description What the next attempt needs to go on; opaque to the platform. */
            checkpoint?: unknown;
        };
        /**
         * @example {
         *       "sequence": 1,
         *       "cancel_requested": false,
         *       "version": 1
         *     }
         */
        ReportedProgress: {
            sequence: number;
            cancel_requested: boolean;
            version: number;
        };
        /**
         * @example {
         *       "result_ref": "019c8f3a-5b20-7d41-9e6b-103b1e5f6122",
         *       "size": 1,
         *       "checksum_sha256": "checksum sha256"
         *     }
         */
        StoredResult: {
            /** @description The id of the stored result. */
            result_ref: components["schemas"]["Id"];
            size: number;
            checksum_sha256: string;
        };
        /**
         * @example {
         *       "jobs": [
         *         {
         *           "type": "demo.count",
         *           "schema_version": 1,
         *           "parameters": {},
         *           "input_ref": "019c8f3a-5b20-7d41-9e6b-fecb447643f6",
         *           "priority": 1,
         *           "scheduled_at": "2026-03-02T09:30:00.000Z",
         *           "deadline_at": "2026-03-02T10:15:00.000Z",
         *           "max_attempts": 5,
         *           "depends_on": [
         *             {
         *               "job_id": "019c8f3a-5b20-7d41-9e6b-abe99299867c",
         *               "required_state": "succeeded"
         *             }
         *           ],
         *           "ref": "ref",
         *           "depends_on_refs": [
         *             {
         *               "ref": "ref",
         *               "required_state": "succeeded"
         *             }
         *           ]
         *         }
         *       ]
         *     }
         */
        SubmitJobs: {
            jobs: {
                /** @description The name of the job type. */
                type: string;
                /** @description The version of the schema that the parameters fit; the newest one if absent. */
                schema_version?: number;
                /** @description What the job works on; it fits the schema of the type. */
                parameters?: Record<string, never>;
                /** @description The file that the job works on; the owner of the job must be allowed to read it. */
                input_ref?: components["schemas"]["Id"];
                /** @description From 0 to 9; a larger one goes first. */
                priority?: number;
                scheduled_at?: components["schemas"]["Time"];
                /** @description After this time the job expires instead of starting. */
                deadline_at?: components["schemas"]["Time"];
                /** @description How many attempts the job gets before it fails. */
                max_attempts?: number;
                /** @description Jobs that must end first. */
                depends_on?: {
                    job_id: components["schemas"]["Id"];
                    /** @enum {string} */
                    required_state?: "succeeded" | "terminal";
                }[];
                ref: string;
                depends_on_refs?: {
                    ref: string;
                    /** @enum {string} */
                    required_state?: "succeeded" | "terminal";
                }[];
            }[];
        };
        /**
         * @example {
         *       "status": "queued",
         *       "jobs": {}
         *     }
         */
        SubmittedJobs: {
            /** @constant */
            status: "queued";
            jobs: {
                [key: string]: components["schemas"]["Job"];
            };
        };
        /**
         * @example {
         *       "type": "demo.count",
         *       "error_code": "error code",
         *       "limit": 1
         *     }
         */
        RedriveJobs: {
            /** @description The name of the job type. */
            type: string;
            error_code?: string;
            limit: number;
        };
        /**
         * @example {
         *       "retried": 1
         *     }
         */
        RedrivenJobs: {
            retried: number;
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "name": "name",
         *       "type": "demo.count",
         *       "schema_version": 1,
         *       "parameters": {},
         *       "cron": "0 6 * * 1-5",
         *       "timezone": "Europe/Berlin",
         *       "enabled": false,
         *       "catch_up": "skip",
         *       "overlap": "allow",
         *       "priority": 1,
         *       "next_run_at": "2026-03-02T10:15:00.000Z",
         *       "last_run_at": "2026-03-02T10:15:00.000Z",
         *       "last_job_id": "019c8f3a-5b20-7d41-9e6b-e4e4a4c03267",
         *       "last_error_code": "last error code",
         *       "paused_reason": "paused reason",
         *       "paused_at": "2026-03-02T09:30:00.000Z",
         *       "version": 1,
         *       "created_at": "2026-03-02T09:30:00.000Z",
         *       "updated_at": "2026-03-02T10:15:00.000Z"
         *     }
         */
        JobSchedule: {
            id: components["schemas"]["Id"];
            name: string;
            /** @description The name of the job type. */
            type: string;
            /** @description The version of the schema that the parameters fit; the newest one if absent. */
            schema_version: number;
            /** @description What the job works on; it fits the schema of the type. */
            parameters: {
                [key: string]: unknown;
            };
            /** @description Five fields of cron: minute, hour, day, month, weekday. */
            cron: string;
            /** @description The zone of the cron expression. */
            timezone: string;
            enabled: boolean;
            /** @enum {string} */
            catch_up: "skip" | "latest" | "all";
            /** @enum {string} */
            overlap: "allow" | "skip";
            /** @description From 0 to 9; a larger one goes first. */
            priority: number;
            next_run_at: components["schemas"]["Time"] | null;
            last_run_at: components["schemas"]["Time"] | null;
            last_job_id: components["schemas"]["Id"] | null;
            last_error_code: string | null;
            paused_reason: string | null;
            paused_at: components["schemas"]["Time"] | null;
            version: components["schemas"]["Version"];
            created_at: components["schemas"]["Time"];
            updated_at: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "name": "name",
         *           "type": "demo.count",
         *           "schema_version": 1,
         *           "parameters": {},
         *           "cron": "0 6 * * 1-5",
         *           "timezone": "Europe/Berlin",
         *           "enabled": false,
         *           "catch_up": "skip",
         *           "overlap": "allow",
         *           "priority": 1,
         *           "next_run_at": "2026-03-02T10:15:00.000Z",
         *           "last_run_at": "2026-03-02T10:15:00.000Z",
         *           "last_job_id": "019c8f3a-5b20-7d41-9e6b-e4e4a4c03267",
         *           "last_error_code": "last error code",
         *           "paused_reason": "paused reason",
         *           "paused_at": "2026-03-02T09:30:00.000Z",
         *           "version": 1,
         *           "created_at": "2026-03-02T09:30:00.000Z",
         *           "updated_at": "2026-03-02T10:15:00.000Z"
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        JobSchedulePage: {
            /** @description The items of this page. */
            data: components["schemas"]["JobSchedule"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "type": "demo.count",
         *       "schema_version": 1,
         *       "parameters": {},
         *       "cron": "0 6 * * 1-5",
         *       "timezone": "Europe/Berlin",
         *       "enabled": false,
         *       "catch_up": "skip",
         *       "overlap": "allow",
         *       "priority": 1
         *     }
         */
        PutJobSchedule: {
            /** @description The name of the job type. */
            type: string;
            /** @description The version of the schema that the parameters fit; the newest one if absent. */
            schema_version?: number;
            /** @description What the job works on; it fits the schema of the type. */
            parameters?: Record<string, never>;
            /** @description Five fields of cron: minute, hour, day, month, weekday. */
            cron: string;
            /** @description The zone of the cron expression. */
            timezone?: string;
            enabled?: boolean;
            /** @enum {string} */
            catch_up?: "skip" | "latest" | "all";
            /** @enum {string} */
            overlap?: "allow" | "skip";
            /** @description From 0 to 9; a larger one goes first. */
            priority?: number;
        };
        JobTypeStats: {
            /** @description The name of the job type. */
            type: string;
            waiting: number | null;
            running: number | null;
            oldest_waiting_seconds: number | null;
            failed_24h: number | null;
            paused: boolean;
            capable_workers: number | null;
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "type": "demo.count",
         *           "waiting": 1,
         *           "running": 1,
         *           "oldest_waiting_seconds": 1,
         *           "failed_24h": 1,
         *           "paused": false,
         *           "capable_workers": 1
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        JobTypeStatsPage: {
            /** @description The items of this page. */
            data: components["schemas"]["JobTypeStats"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "type": "demo.count",
         *       "kind": "built_in",
         *       "submittable": false,
         *       "schema_versions": [
         *         1
         *       ],
         *       "queue": "default",
         *       "lease_seconds": 30,
         *       "timeout_seconds": 600,
         *       "max_attempts": 5,
         *       "backoff": {
         *         "base_ms": 1,
         *         "cap_ms": 1
         *       },
         *       "tenant_max_running": 1,
         *       "paused": false,
         *       "pause_reason": "pause reason",
         *       "paused_at": "2026-03-02T09:30:00.000Z",
         *       "paused_until": "2026-03-02T10:15:00.000Z"
         *     }
         */
        JobType: {
            /** @description The name of the job type. */
            type: string;
            /** @enum {string} */
            kind: "built_in" | "activity" | "external";
            submittable: boolean;
            schema_versions: number[];
            /** @description Workers claim from one queue. */
            queue: string;
            /** @description How long a lease lasts without a heartbeat. */
            lease_seconds: number | null;
            /** @description How long one attempt may take. */
            timeout_seconds: number | null;
            /** @description How many attempts the job gets before it fails. */
            max_attempts: number | null;
            backoff: {
                base_ms: number;
                cap_ms: number;
            } | null;
            tenant_max_running: number | null;
            paused: boolean;
            pause_reason: string | null;
            paused_at: components["schemas"]["Time"] | null;
            paused_until: components["schemas"]["Time"] | null;
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "type": "demo.count",
         *           "kind": "built_in",
         *           "submittable": false,
         *           "schema_versions": [
         *             1
         *           ],
         *           "queue": "default",
         *           "lease_seconds": 30,
         *           "timeout_seconds": 600,
         *           "max_attempts": 5,
         *           "backoff": {
         *             "base_ms": 1,
         *             "cap_ms": 1
         *           },
         *           "tenant_max_running": 1,
         *           "paused": false,
         *           "pause_reason": "pause reason",
         *           "paused_at": "2026-03-02T09:30:00.000Z",
         *           "paused_until": "2026-03-02T10:15:00.000Z"
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        JobTypePage: {
            /** @description The items of this page. */
            data: components["schemas"]["JobType"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "schema_version": 1,
         *       "parameters_schema": {},
         *       "result_schema": {},
         *       "queue": "default",
         *       "lease_seconds": 30,
         *       "timeout_seconds": 600,
         *       "max_attempts": 5,
         *       "backoff": {
         *         "base_ms": 1,
         *         "cap_ms": 1
         *       },
         *       "tenant_max_running": 1
         *     }
         */
        RegisterJobType: {
            /** @description The version of the schema that the parameters fit; the newest one if absent. */
            schema_version: number;
            parameters_schema: Record<string, never>;
            result_schema?: Record<string, never>;
            /** @description Workers claim from one queue. */
            queue?: string;
            /** @description How long a lease lasts without a heartbeat. */
            lease_seconds?: number;
            /** @description How long one attempt may take. */
            timeout_seconds?: number;
            /** @description How many attempts the job gets before it fails. */
            max_attempts?: number;
            backoff?: {
                base_ms: number;
                cap_ms: number;
            };
            tenant_max_running?: number;
        };
        /**
         * @example {
         *       "reason": "Requested by the customer.",
         *       "until": "2026-03-02T10:15:00.000Z"
         *     }
         */
        PauseJobType: {
            /** @description The reason that the caller gave. It is kept in the audit log. */
            reason: string;
            until?: components["schemas"]["Time"] | null;
        };
        /**
         * @example {
         *       "type": "demo.count",
         *       "paused": false,
         *       "reason": "Requested by the customer.",
         *       "paused_at": "2026-03-02T09:30:00.000Z",
         *       "paused_by": "paused by",
         *       "until": "2026-03-02T10:15:00.000Z",
         *       "running": 1
         *     }
         */
        JobTypePause: {
            /** @description The name of the job type. */
            type: string;
            paused: boolean;
            /** @description The reason that the caller gave. It is kept in the audit log. */
            reason: string | null;
            paused_at: components["schemas"]["Time"] | null;
            paused_by: string | null;
            until: components["schemas"]["Time"] | null;
            running: number | null;
        };
        /**
         * @example {
         *       "type": "demo.count",
         *       "schema_version": 1,
         *       "parameters": {},
         *       "input_ref": "019c8f3a-5b20-7d41-9e6b-fecb447643f6",
         *       "priority": 1,
         *       "scheduled_at": "2026-03-02T09:30:00.000Z",
         *       "deadline_at": "2026-03-02T10:15:00.000Z",
         *       "max_attempts": 5,
         *       "depends_on": [
         *         {
         *           "job_id": "019c8f3a-5b20-7d41-9e6b-abe99299867c",
         *           "required_state": "succeeded"
         *         }
         *       ]
         *     }
         */
        SubmitJob: {
            /** @description The name of the job type. */
            type: string;
            /** @description The version of the schema that the parameters fit; the newest one if absent. */
            schema_version?: number;
            /** @description What the job works on; it fits the schema of the type. */
            parameters?: Record<string, never>;
            /** @description The file that the job works on; the owner of the job must be allowed to read it. */
            input_ref?: components["schemas"]["Id"];
            /** @description From 0 to 9; a larger one goes first. */
            priority?: number;
            scheduled_at?: components["schemas"]["Time"];
            /** @description After this time the job expires instead of starting. */
            deadline_at?: components["schemas"]["Time"];
            /** @description How many attempts the job gets before it fails. */
            max_attempts?: number;
            /** @description Jobs that must end first. */
            depends_on?: {
                job_id: components["schemas"]["Id"];
                /** @enum {string} */
                required_state?: "succeeded" | "terminal";
            }[];
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "tenant_id": "019c8f3a-5b20-7d41-9e6b-759b6ffea819",
         *           "type": "demo.count",
         *           "schema_version": 1,
         *           "state": "pending",
         *           "status": "queued",
         *           "priority": 1,
         *           "input_ref": "019c8f3a-5b20-7d41-9e6b-fecb447643f6",
         *           "result_ref": "019c8f3a-5b20-7d41-9e6b-103b1e5f6122",
         *           "idempotency_key": "idempotency key",
         *           "scheduled_at": "2026-03-02T09:30:00.000Z",
         *           "deadline_at": "2026-03-02T10:15:00.000Z",
         *           "cancel_requested_at": "2026-03-02T09:30:00.000Z",
         *           "created_at": "2026-03-02T09:30:00.000Z",
         *           "completed_at": "2026-03-02T09:30:00.000Z",
         *           "version": 1,
         *           "attempt_count": 1,
         *           "max_attempts": 5,
         *           "waiting_reason": "dependencies",
         *           "next_attempt_at": "2026-03-02T10:15:00.000Z",
         *           "progress": {
         *             "sequence": 1,
         *             "stage": "counting",
         *             "current": 4,
         *             "total": 10,
         *             "message_code": "message code",
         *             "recorded_at": "2026-03-02T09:30:00.000Z"
         *           },
         *           "error": {
         *             "code": "code",
         *             "retryable": true,
         *             "cause_job_id": "019c8f3a-5b20-7d41-9e6b-a026d6e1fa30"
         *           },
         *           "usage": {},
         *           "depends_on": [
         *             {
         *               "job_id": "019c8f3a-5b20-7d41-9e6b-abe99299867c",
         *               "required_state": "succeeded",
         *               "satisfied": false
         *             }
         *           ],
         *           "retry_of_job_id": "019c8f3a-5b20-7d41-9e6b-0b9acffaf1a1"
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        JobPage: {
            /** @description The items of this page. */
            data: components["schemas"]["Job"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "priority": 1,
         *       "scheduled_at": "2026-03-02T09:30:00.000Z"
         *     }
         */
        ChangeJob: {
            /** @description From 0 to 9; a larger one goes first. */
            priority?: number;
            scheduled_at?: components["schemas"]["Time"] | null;
        };
        JobAttempt: {
            id: components["schemas"]["Id"];
            job_id: components["schemas"]["Id"];
            attempt_no: number;
            worker_id: components["schemas"]["Id"];
            state: string;
            leased_until: components["schemas"]["Time"];
            heartbeat_at: components["schemas"]["Time"];
            started_at: components["schemas"]["Time"];
            completed_at: components["schemas"]["Time"] | null;
            error_code: string | null;
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "job_id": "019c8f3a-5b20-7d41-9e6b-abe99299867c",
         *           "attempt_no": 1,
         *           "worker_id": "019c8f3a-5b20-7d41-9e6b-33d1ed215cbc",
         *           "state": "state",
         *           "leased_until": "2026-03-02T10:15:00.000Z",
         *           "heartbeat_at": "2026-03-02T09:30:00.000Z",
         *           "started_at": "2026-03-02T09:30:00.000Z",
         *           "completed_at": "2026-03-02T09:30:00.000Z",
         *           "error_code": "error code"
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        JobAttemptPage: {
            /** @description The items of this page. */
            data: components["schemas"]["JobAttempt"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "reason": "Requested by the customer."
         *     }
         */
        CancelJob: {
            /** @description The reason that the caller gave. It is kept in the audit log. */
            reason?: string;
        };
        JobEvent: {
            id: components["schemas"]["Id"];
            job_id: components["schemas"]["Id"];
            sequence: number;
            /** @description The name of the job type. */
            type: string;
            /** @description The items of this page. */
            data: {
                [key: string]: unknown;
            };
            occurred_at: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "job_id": "019c8f3a-5b20-7d41-9e6b-abe99299867c",
         *           "sequence": 1,
         *           "type": "demo.count",
         *           "data": {},
         *           "occurred_at": "2026-03-02T09:30:00.000Z"
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        JobEventPage: {
            /** @description The items of this page. */
            data: components["schemas"]["JobEvent"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "url": "url",
         *       "expires_at": "2026-03-02T10:15:00.000Z",
         *       "media_type": "media type",
         *       "size": 1,
         *       "checksum_sha256": "checksum sha256"
         *     }
         */
        JobResultAddress: {
            url: string;
            expires_at: components["schemas"]["Time"];
            media_type: string;
            size: number;
            checksum_sha256: string;
        };
        /**
         * @example {
         *       "mode": "same_job"
         *     }
         */
        RetryJob: {
            /** @enum {string} */
            mode?: "same_job" | "new_job";
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "owner_type": "platform",
         *       "owner_id": "019c8f3a-5b20-7d41-9e6b-8b848a683efe",
         *       "currency": "EUR",
         *       "type": "merchant_balance",
         *       "normal_side": "debit",
         *       "debits_minor": 1165,
         *       "credits_minor": 4990,
         *       "balance_minor": 3825
         *     }
         */
        LedgerAccount: {
            id: components["schemas"]["Id"];
            /**
             * @description Whether a tenant or the platform owns the account.
             * @enum {string}
             */
            owner_type: "platform" | "tenant";
            /** @description The tenant that owns it; zeros for the platform. */
            owner_id: components["schemas"]["Id"];
            /** @description The currency, by ISO 4217. */
            currency: string;
            /** @description What the account is for. */
            type: string;
            /**
             * @description The side on which a positive balance stands.
             * @enum {string}
             */
            normal_side: "debit" | "credit";
            /** @description The sum of all debits. */
            debits_minor: number;
            /** @description The sum of all credits. */
            credits_minor: number;
            /** @description The balance on the normal side; below zero it owes. */
            balance_minor: number;
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "owner_type": "platform",
         *           "owner_id": "019c8f3a-5b20-7d41-9e6b-8b848a683efe",
         *           "currency": "EUR",
         *           "type": "merchant_balance",
         *           "normal_side": "debit",
         *           "debits_minor": 1165,
         *           "credits_minor": 4990,
         *           "balance_minor": 3825
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        LedgerAccountPage: {
            /** @description The items of this page. */
            data: components["schemas"]["LedgerAccount"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        LedgerEntry: {
            /** @description The account. */
            account_id: components["schemas"]["Id"];
            /** @description What the account is for. */
            account_type: string;
            /**
             * @description Whether a tenant or the platform owns the account.
             * @enum {string}
             */
            owner_type: "platform" | "tenant";
            /**
             * @description The side.
             * @enum {string}
             */
            direction: "debit" | "credit";
            /** @description The amount in whole minor units of the currency (cents). */
            amount_minor: components["schemas"]["Amount"];
            /** @description The currency, by ISO 4217. */
            currency: string;
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "operation_id": "019c8f3a-5b20-7d41-9e6b-9a9856b253f7",
         *       "intent_id": "019c8f3a-5b20-7d41-9e6b-fd11a51b9504",
         *       "purpose": "capture",
         *       "description": "description",
         *       "effective_at": "2026-03-02T09:30:00.000Z",
         *       "reverses_id": null,
         *       "entries": [
         *         {
         *           "account_id": "019c8f3a-5b20-7d41-9e6b-739b093ae9fb",
         *           "account_type": "provider_clearing",
         *           "owner_type": "platform",
         *           "direction": "debit",
         *           "amount_minor": 4990,
         *           "currency": "EUR"
         *         }
         *       ],
         *       "why": {
         *         "external_ref": "txn_1Q9x",
         *         "provider_handle": "pi_3Q9x",
         *         "provider_operation_id": "ch_3Q9x",
         *         "provider_events": [
         *           "evt_1Q9x"
         *         ],
         *         "request_id": "019c8f3a-5b20-7d41-9e6b-734d11a154d4"
         *       }
         *     }
         */
        LedgerTransaction: {
            id: components["schemas"]["Id"];
            /** @description The operation that this request began; events name it, too. */
            operation_id: components["schemas"]["Id"] | null;
            /** @description The payment. */
            intent_id: components["schemas"]["Id"] | null;
            /** @description Which event was posted. */
            purpose: string;
            description: string;
            /** @description When it was posted. */
            effective_at: components["schemas"]["Time"];
            /** @description The transaction that this one reverses. */
            reverses_id: components["schemas"]["Id"] | null;
            /** @description Debits and credits; equal in each currency. */
            entries: components["schemas"]["LedgerEntry"][];
            /** @description The trace to the request and the objects of the provider. */
            why: {
                /** @description The object of the provider. */
                external_ref: string | null;
                /** @description The payment at the provider. */
                provider_handle: string | null;
                /** @description The id that the provider gave to the outcome. */
                provider_operation_id: string | null;
                /** @description Webhooks that named the payment. */
                provider_events: string[];
                request_id: components["schemas"]["Id"] | null;
            };
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "operation_id": "019c8f3a-5b20-7d41-9e6b-9a9856b253f7",
         *           "intent_id": "019c8f3a-5b20-7d41-9e6b-fd11a51b9504",
         *           "purpose": "capture",
         *           "description": "description",
         *           "effective_at": "2026-03-02T09:30:00.000Z",
         *           "reverses_id": null,
         *           "entries": [
         *             {
         *               "account_id": "019c8f3a-5b20-7d41-9e6b-739b093ae9fb",
         *               "account_type": "provider_clearing",
         *               "owner_type": "platform",
         *               "direction": "debit",
         *               "amount_minor": 4990,
         *               "currency": "EUR"
         *             }
         *           ],
         *           "why": {
         *             "external_ref": "txn_1Q9x",
         *             "provider_handle": "pi_3Q9x",
         *             "provider_operation_id": "ch_3Q9x",
         *             "provider_events": [
         *               "evt_1Q9x"
         *             ],
         *             "request_id": "019c8f3a-5b20-7d41-9e6b-734d11a154d4"
         *           }
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        LedgerTransactionPage: {
            /** @description The items of this page. */
            data: components["schemas"]["LedgerTransaction"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        Limit: {
            name: string;
            value: number | boolean | number[];
            unit: string;
            default: number | boolean | number[];
            applies_to: string;
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "name": "name",
         *           "value": 1,
         *           "unit": "unit",
         *           "default": 1,
         *           "applies_to": "applies to"
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        LimitPage: {
            /** @description The items of this page. */
            data: components["schemas"]["Limit"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        BlocklistEntry: {
            id: components["schemas"]["Id"];
            /** @enum {string} */
            kind: "host" | "suffix" | "url" | "regex";
            value: string;
            /** @enum {string} */
            action: "block" | "warn";
            /** @description The reason that the caller gave. It is kept in the audit log. */
            reason: string;
            created_by: components["schemas"]["Id"];
            created_at: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "kind": "host",
         *           "value": "value",
         *           "action": "block",
         *           "reason": "Requested by the customer.",
         *           "created_by": "019c8f3a-5b20-7d41-9e6b-117dbb19db72",
         *           "created_at": "2026-03-02T09:30:00.000Z"
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        BlocklistEntryPage: {
            /** @description The items of this page. */
            data: components["schemas"]["BlocklistEntry"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "kind": "host",
         *       "value": "value",
         *       "action": "block",
         *       "reason": "Requested by the customer."
         *     }
         */
        AddBlocklistEntry: {
            /** @enum {string} */
            kind: "host" | "suffix" | "url" | "regex";
            value: string;
            /** @enum {string} */
            action?: "block" | "warn";
            /** @description The reason that the caller gave. It is kept in the audit log. */
            reason: string;
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "kind": "host",
         *       "value": "value",
         *       "action": "block",
         *       "reason": "Requested by the customer.",
         *       "created_by": "019c8f3a-5b20-7d41-9e6b-117dbb19db72",
         *       "created_at": "2026-03-02T09:30:00.000Z",
         *       "job_id": "019c8f3a-5b20-7d41-9e6b-abe99299867c"
         *     }
         */
        NewBlocklistEntry: {
            id: components["schemas"]["Id"];
            /** @enum {string} */
            kind: "host" | "suffix" | "url" | "regex";
            value: string;
            /** @enum {string} */
            action: "block" | "warn";
            /** @description The reason that the caller gave. It is kept in the audit log. */
            reason: string;
            created_by: components["schemas"]["Id"];
            created_at: components["schemas"]["Time"];
            job_id: components["schemas"]["Id"];
        };
        /**
         * @example {
         *       "url": "url",
         *       "reason": "Requested by the customer."
         *     }
         */
        ReportLink: {
            url: string;
            /** @description The reason that the caller gave. It is kept in the audit log. */
            reason: string;
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "state": "received"
         *     }
         */
        ReportLinkReply: {
            id: components["schemas"]["Id"];
            /** @constant */
            state: "received";
        };
        LinkReport: {
            id: components["schemas"]["Id"];
            url: string;
            /** @description The reason that the caller gave. It is kept in the audit log. */
            reason: string;
            /** @enum {string} */
            state: "received" | "resolved";
            domain_id: components["schemas"]["Id"] | null;
            /** @description The last part of the short address. */
            code: string | null;
            created_at: components["schemas"]["Time"];
            resolved_at: components["schemas"]["Time"] | null;
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "url": "url",
         *           "reason": "Requested by the customer.",
         *           "state": "received",
         *           "domain_id": "019c8f3a-5b20-7d41-9e6b-82f10651e042",
         *           "code": "spring-sale",
         *           "created_at": "2026-03-02T09:30:00.000Z",
         *           "resolved_at": "2026-03-02T09:30:00.000Z"
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        LinkReportPage: {
            /** @description The items of this page. */
            data: components["schemas"]["LinkReport"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "domain": "domain",
         *       "code": "spring-sale",
         *       "from": "2026-03-02",
         *       "to": "2026-03-02"
         *     }
         */
        RebuildLinkStats: {
            domain?: string;
            /** @description The last part of the short address. */
            code?: string;
            from: string;
            to: string;
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "job_id": "019c8f3a-5b20-7d41-9e6b-abe99299867c",
         *       "status": "queued"
         *     }
         */
        RebuildLinkStatsReply: {
            id: components["schemas"]["Id"];
            job_id: components["schemas"]["Id"];
            /** @constant */
            status: "queued";
        };
        /**
         * @example {
         *       "destination_url": "https://example.com/spring?utm_source=mail",
         *       "alias": "spring-sale",
         *       "domain": "domain",
         *       "expires_at": "2026-03-02T10:15:00.000Z",
         *       "code_length": 8,
         *       "max_clicks": 1000,
         *       "title": "Spring sale",
         *       "policy": {
         *         "redirect_status": 301,
         *         "scan": "allow",
         *         "query": "ignore",
         *         "cache_seconds": 1,
         *         "edge_cache_seconds": 1
         *       }
         *     }
         */
        CreateLink: {
            /** @description Where the link leads. */
            destination_url: string;
            /** @description The code that you wish for; absent for a free one. */
            alias?: string;
            domain?: string;
            expires_at?: components["schemas"]["Time"] | null;
            code_length?: number;
            /** @description How often the link may be followed. */
            max_clicks?: number | null;
            /** @description What the owner calls the link. */
            title?: string | null;
            policy?: {
                /**
                 * @description The status of the redirect.
                 * @enum {integer}
                 */
                redirect_status?: 301 | 302 | 307 | 308;
                /** @enum {string} */
                scan?: "allow" | "warn" | "block";
                /** @enum {string} */
                query?: "ignore" | "append";
                cache_seconds?: number;
                edge_cache_seconds?: number;
            };
        };
        LinkPolicy: {
            /**
             * @description The status of the redirect.
             * @enum {integer}
             */
            redirect_status: 301 | 302 | 307 | 308;
            /** @enum {string} */
            scan: "allow" | "warn" | "block";
            /** @enum {string} */
            query: "ignore" | "append";
            cache_seconds: number;
            edge_cache_seconds: number;
        };
        /**
         * @example {
         *       "code": "spring-sale",
         *       "domain": "domain",
         *       "domain_id": "019c8f3a-5b20-7d41-9e6b-82f10651e042",
         *       "short_url": "http://127.0.0.1:8080/spring-sale",
         *       "owner_id": "019c8f3a-5b20-7d41-9e6b-8b848a683efe",
         *       "destination_url": "https://example.com/spring?utm_source=mail",
         *       "state": "pending_scan",
         *       "safety_state": "unscanned",
         *       "destination_version": 1,
         *       "version": 1,
         *       "created_at": "2026-03-02T09:30:00.000Z",
         *       "updated_at": "2026-03-02T10:15:00.000Z",
         *       "expires_at": "2026-03-02T10:15:00.000Z",
         *       "max_clicks": 1000,
         *       "remaining_clicks": 987,
         *       "title": "Spring sale",
         *       "policy": {
         *         "redirect_status": 301,
         *         "scan": "allow",
         *         "query": "ignore",
         *         "cache_seconds": 1,
         *         "edge_cache_seconds": 1
         *       },
         *       "clicks": 1
         *     }
         */
        Link: {
            /** @description The last part of the short address. */
            code: string;
            domain: string;
            domain_id: components["schemas"]["Id"];
            /** @description The whole short address. */
            short_url: string;
            owner_id: components["schemas"]["Id"];
            /** @description Where the link leads. */
            destination_url: string;
            /** @enum {string} */
            state: "pending_scan" | "active" | "disabled" | "expired" | "deleted";
            /**
             * @description What the checks of the destination found.
             * @enum {string}
             */
            safety_state: "unscanned" | "clean" | "suspicious" | "malicious";
            destination_version: number;
            version: components["schemas"]["Version"];
            created_at: components["schemas"]["Time"];
            updated_at: components["schemas"]["Time"];
            expires_at: components["schemas"]["Time"] | null;
            /** @description How often the link may be followed. */
            max_clicks: number | null;
            /** @description How often the link may still be followed. */
            remaining_clicks: number | null;
            /** @description What the owner calls the link. */
            title: string | null;
            policy: components["schemas"]["LinkPolicy"];
            clicks: number;
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "code": "spring-sale",
         *           "domain": "domain",
         *           "domain_id": "019c8f3a-5b20-7d41-9e6b-82f10651e042",
         *           "short_url": "http://127.0.0.1:8080/spring-sale",
         *           "owner_id": "019c8f3a-5b20-7d41-9e6b-8b848a683efe",
         *           "destination_url": "https://example.com/spring?utm_source=mail",
         *           "state": "pending_scan",
         *           "safety_state": "unscanned",
         *           "destination_version": 1,
         *           "version": 1,
         *           "created_at": "2026-03-02T09:30:00.000Z",
         *           "updated_at": "2026-03-02T10:15:00.000Z",
         *           "expires_at": "2026-03-02T10:15:00.000Z",
         *           "max_clicks": 1000,
         *           "remaining_clicks": 987,
         *           "title": "Spring sale",
         *           "policy": {
         *             "redirect_status": 301,
         *             "scan": "allow",
         *             "query": "ignore",
         *             "cache_seconds": 1,
         *             "edge_cache_seconds": 1
         *           },
         *           "clicks": 1
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        LinkPage: {
            /** @description The items of this page. */
            data: components["schemas"]["Link"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "links": [
         *         {
         *           "destination_url": "https://example.com/spring?utm_source=mail",
         *           "alias": "spring-sale",
         *           "domain": "domain",
         *           "expires_at": "2026-03-02T10:15:00.000Z",
         *           "code_length": 8,
         *           "max_clicks": 1000,
         *           "title": "Spring sale",
         *           "policy": {
         *             "redirect_status": 301,
         *             "scan": "allow",
         *             "query": "ignore",
         *             "cache_seconds": 1,
         *             "edge_cache_seconds": 1
         *           }
         *         }
         *       ]
         *     }
         */
        CreateLinks: {
            links: components["schemas"]["CreateLink"][];
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "code": "spring-sale",
         *           "domain": "domain",
         *           "domain_id": "019c8f3a-5b20-7d41-9e6b-82f10651e042",
         *           "short_url": "http://127.0.0.1:8080/spring-sale",
         *           "owner_id": "019c8f3a-5b20-7d41-9e6b-8b848a683efe",
         *           "destination_url": "https://example.com/spring?utm_source=mail",
         *           "state": "pending_scan",
         *           "safety_state": "unscanned",
         *           "destination_version": 1,
         *           "version": 1,
         *           "created_at": "2026-03-02T09:30:00.000Z",
         *           "updated_at": "2026-03-02T10:15:00.000Z",
         *           "expires_at": "2026-03-02T10:15:00.000Z",
         *           "max_clicks": 1000,
         *           "remaining_clicks": 987,
         *           "title": "Spring sale",
         *           "policy": {
         *             "redirect_status": 301,
         *             "scan": "allow",
         *             "query": "ignore",
         *             "cache_seconds": 1,
         *             "edge_cache_seconds": 1
         *           },
         *           "clicks": 1
         *         }
         *       ]
         *     }
         */
        CreateLinksReply: {
            /** @description The items of this page. */
            data: components["schemas"]["Link"][];
        };
        /**
         * @example {
         *       "destination_url": "https://example.com/spring?utm_source=mail",
         *       "expires_at": "2026-03-02T10:15:00.000Z",
         *       "title": "Spring sale",
         *       "policy": {
         *         "redirect_status": 301,
         *         "scan": "allow",
         *         "query": "ignore",
         *         "cache_seconds": 1,
         *         "edge_cache_seconds": 1
         *       },
         *       "max_clicks": 1000,
         *       "state": "active",
         *       "code": "spring-sale",
         *       "domain": {}
         *     }
         */
        PatchLink: {
            /** @description Where the link leads. */
            destination_url?: string;
            expires_at?: components["schemas"]["Time"] | null;
            /** @description What the owner calls the link. */
            title?: string | null;
            policy?: {
                /**
                 * @description The status of the redirect.
                 * @enum {integer}
                 */
                redirect_status?: 301 | 302 | 307 | 308;
                /** @enum {string} */
                scan?: "allow" | "warn" | "block";
                /** @enum {string} */
                query?: "ignore" | "append";
                cache_seconds?: number;
                edge_cache_seconds?: number;
            };
            /** @description How often the link may be followed. */
            max_clicks?: number | null;
            /** @enum {string} */
            state?: "active" | "disabled";
            /** @description The last part of the short address. */
            code?: unknown;
            domain?: unknown;
        };
        /**
         * @example {
         *       "action": "disable",
         *       "reason": "Requested by the customer."
         *     }
         */
        ModerateLink: {
            /** @enum {string} */
            action: "disable" | "enable" | "mark_clean";
            /** @description The reason that the caller gave. It is kept in the audit log. */
            reason: string;
        };
        /**
         * @example {
         *       "code": "spring-sale",
         *       "domain": "domain",
         *       "from": "from",
         *       "to": "to",
         *       "totals": {
         *         "clicks": 1,
         *         "bots": 1
         *       },
         *       "series": [
         *         {
         *           "day": "day",
         *           "clicks": 1,
         *           "bots": 1
         *         }
         *       ],
         *       "dimensions": {
         *         "country": [
         *           {
         *             "key": "key",
         *             "clicks": 1
         *           }
         *         ],
         *         "device": [
         *           {
         *             "key": "key",
         *             "clicks": 1
         *           }
         *         ],
         *         "browser": [
         *           {
         *             "key": "key",
         *             "clicks": 1
         *           }
         *         ],
         *         "os": [
         *           {
         *             "key": "key",
         *             "clicks": 1
         *           }
         *         ],
         *         "referrer": [
         *           {
         *             "key": "key",
         *             "clicks": 1
         *           }
         *         ],
         *         "language": [
         *           {
         *             "key": "key",
         *             "clicks": 1
         *           }
         *         ],
         *         "source": [
         *           {
         *             "key": "key",
         *             "clicks": 1
         *           }
         *         ]
         *       },
         *       "fresh_until": "2026-03-02T10:15:00.000Z",
         *       "as_of": "2026-03-02T09:30:00.000Z",
         *       "freshness_seconds": 60,
         *       "degraded": false
         *     }
         */
        LinkStats: {
            /** @description The last part of the short address. */
            code: string;
            domain: string;
            from: string;
            to: string;
            totals: {
                clicks: number;
                bots: number;
            };
            series: {
                day: string;
                clicks: number;
                bots: number;
            }[];
            dimensions: {
                country?: {
                    key: string;
                    clicks: number;
                }[];
                device?: {
                    key: string;
                    clicks: number;
                }[];
                browser?: {
                    key: string;
                    clicks: number;
                }[];
                os?: {
                    key: string;
                    clicks: number;
                }[];
                referrer?: {
                    key: string;
                    clicks: number;
                }[];
                language?: {
                    key: string;
                    clicks: number;
                }[];
                source?: {
                    key: string;
                    clicks: number;
                }[];
            };
            fresh_until: components["schemas"]["Time"];
            as_of: components["schemas"]["Time"];
            /** @description How old the newest counted click may be. */
            freshness_seconds: number;
            degraded: boolean;
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "tenant_id": "019c8f3a-5b20-7d41-9e6b-759b6ffea819",
         *       "email": "ada@example.com",
         *       "email_normalized": "email normalized",
         *       "status": "status",
         *       "verified_at": "2026-03-02T09:30:00.000Z",
         *       "display_name": "Ada Lovelace",
         *       "locale": "en",
         *       "created_at": "2026-03-02T09:30:00.000Z",
         *       "principal_type": "account",
         *       "session": {
         *         "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *         "aal": "aal1",
         *         "amr": [
         *           "amr"
         *         ],
         *         "auth_time": "2026-03-02T09:30:00.000Z",
         *         "expires_at": "2026-03-02T10:15:00.000Z"
         *       },
         *       "tenants": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "slug": "acme"
         *         }
         *       ],
         *       "roles": [
         *         "role"
         *       ],
         *       "permissions": [
         *         "permission"
         *       ],
         *       "mfa": {
         *         "enabled": false,
         *         "types": [
         *           "type"
         *         ]
         *       }
         *     }
         */
        Me: {
            id: components["schemas"]["Id"];
            tenant_id: components["schemas"]["Id"];
            /** @description The mail address, as the person wrote it. */
            email: string | null;
            email_normalized: string;
            status: string;
            verified_at: components["schemas"]["Time"] | null;
            /** @description The display name of the person. */
            display_name: string | null;
            /** @description The language of mails, by BCP 47. */
            locale: string | null;
            created_at: components["schemas"]["Time"];
            principal_type: "account" | "service";
            session: {
                id: components["schemas"]["Id"];
                /** @description The assurance level of the caller: `aal2` with a second factor. */
                aal: "aal1" | "aal2";
                amr: string[];
                /** @description When the person last logged in. */
                auth_time: components["schemas"]["Time"];
                expires_at: components["schemas"]["Time"];
            } | null;
            tenants: {
                id: components["schemas"]["Id"];
                /** @description The name of the tenant in URLs. */
                slug: string;
            }[];
            roles: string[];
            /** @description Permissions; some may be limited to a type. */
            permissions: string[];
            mfa: {
                enabled: boolean;
                types: string[];
            };
        };
        /**
         * @example {
         *       "display_name": "Ada Lovelace",
         *       "locale": "en"
         *     }
         */
        UpdateMeBody: {
            /** @description The display name of the person. */
            display_name?: string | null;
            /** @description The language of mails, by BCP 47. */
            locale?: string | null;
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "provider": "provider",
         *       "issuer": "issuer",
         *       "subject": "subject",
         *       "created_at": "2026-03-02T09:30:00.000Z"
         *     }
         */
        ExternalIdentity: {
            id: components["schemas"]["Id"];
            provider: string;
            issuer: string;
            subject: string;
            created_at: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "provider": "provider",
         *           "issuer": "issuer",
         *           "subject": "subject",
         *           "created_at": "2026-03-02T09:30:00.000Z"
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        ExternalIdentityPage: {
            /** @description The items of this page. */
            data: components["schemas"]["ExternalIdentity"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "oidc_ticket": "oidc ticket"
         *     }
         */
        LinkExternalIdentityBody: {
            oidc_ticket: string;
        };
        /**
         * @example {
         *       "method_id": "019c8f3a-5b20-7d41-9e6b-f2c1bc00636b",
         *       "purpose": "step_up"
         *     }
         */
        CreateMfaChallengeBody: {
            method_id: components["schemas"]["Id"];
            /** @constant */
            purpose?: "step_up";
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "challenge_id": "019c8f3a-5b20-7d41-9e6b-47c35d13eca1",
         *       "status": "open",
         *       "type": "totp",
         *       "purpose": "login",
         *       "expires_at": "2026-03-02T10:15:00.000Z",
         *       "public_key": {}
         *     }
         */
        MfaChallenge: {
            id: components["schemas"]["Id"];
            challenge_id: components["schemas"]["Id"];
            status: "open" | "consumed" | "expired" | "exhausted";
            type: "totp" | "webauthn";
            purpose: "login" | "step_up";
            expires_at: components["schemas"]["Time"];
            public_key?: unknown;
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "status": "open",
         *       "type": "totp",
         *       "purpose": "login",
         *       "created_at": "2026-03-02T09:30:00.000Z",
         *       "expires_at": "2026-03-02T10:15:00.000Z"
         *     }
         */
        MfaChallengeStatus: {
            id: components["schemas"]["Id"];
            status: "open" | "consumed" | "expired" | "exhausted";
            type: "totp" | "webauthn";
            purpose: "login" | "step_up";
            created_at: components["schemas"]["Time"];
            expires_at: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "code": "492039",
         *       "device_name": "device name",
         *       "delivery": "token"
         *     }
         */
        VerifyMfaChallengeBody: {
            code?: string;
            recovery_code?: string;
            assertion?: {
                id: string;
                rawId: string;
                /** @constant */
                type: "public-key";
                response: {
                    clientDataJSON: string;
                    authenticatorData: string;
                    signature: string;
                    userHandle?: string;
                };
            };
            device_name?: string;
            delivery?: "token" | "cookie";
        } & (unknown | unknown | unknown);
        /**
         * @example {
         *       "access_token": "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIuLi4ifQ.c2ln",
         *       "expires_in": 900,
         *       "aal": "aal2",
         *       "auth_time": "2026-03-02T09:30:00.000Z"
         *     }
         */
        SteppedUp: {
            /** @description Send it as `Authorization: Bearer`; it expires after `expires_in` seconds. */
            access_token?: string;
            /** @description Seconds until the access token expires. */
            expires_in: number;
            /**
             * @description The assurance level of the caller: `aal2` with a second factor.
             * @constant
             */
            aal: "aal2";
            /** @description When the person last logged in. */
            auth_time: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "session_id": "019c8f3a-5b20-7d41-9e6b-5c3a09bf22e1",
         *       "account_id": "019c8f3a-5b20-7d41-9e6b-739b093ae9fb",
         *       "tenant_id": "019c8f3a-5b20-7d41-9e6b-759b6ffea819",
         *       "token_type": "Bearer",
         *       "access_token": "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIuLi4ifQ.c2ln",
         *       "expires_in": 900,
         *       "refresh_token": "rt_Zr1kqQm0bE4",
         *       "refresh_expires_in": 1,
         *       "session_expires_at": "2026-03-02T10:15:00.000Z",
         *       "aal": "aal1",
         *       "device_token": "device token",
         *       "csrf_token": "5hT0yq"
         *     }
         */
        SessionTokens: {
            session_id: components["schemas"]["Id"];
            account_id: components["schemas"]["Id"];
            tenant_id: components["schemas"]["Id"];
            /** @constant */
            token_type: "Bearer";
            /** @description Send it as `Authorization: Bearer`; it expires after `expires_in` seconds. */
            access_token?: string;
            /** @description Seconds until the access token expires. */
            expires_in: number;
            /** @description Exchange it once for new tokens; keep it secret. */
            refresh_token?: string;
            refresh_expires_in: number;
            session_expires_at: components["schemas"]["Time"];
            /** @description The assurance level of the caller: `aal2` with a second factor. */
            aal: "aal1" | "aal2";
            device_token?: string;
            /** @description Send it as `X-CSRF-Token` where a cookie is the credential. */
            csrf_token?: string;
        };
        MfaMethod: {
            id: components["schemas"]["Id"];
            type: "totp" | "webauthn";
            label: string;
            status: "pending" | "active";
            created_at: components["schemas"]["Time"];
            last_used_at: components["schemas"]["Time"] | null;
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "type": "totp",
         *           "label": "label",
         *           "status": "pending",
         *           "created_at": "2026-03-02T09:30:00.000Z",
         *           "last_used_at": "2026-03-02T10:15:00.000Z"
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        MfaMethodPage: {
            /** @description The items of this page. */
            data: components["schemas"]["MfaMethod"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "type": "totp",
         *       "label": "label"
         *     }
         */
        EnrolMfaMethodBody: {
            type: "totp" | "webauthn";
            label: string;
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "status": "pending",
         *       "type": "totp",
         *       "label": "label",
         *       "secret": "secret",
         *       "otpauth_uri": "otpauth uri",
         *       "public_key": {}
         *     }
         */
        MfaEnrolment: {
            id: components["schemas"]["Id"];
            /** @constant */
            status: "pending";
            type: "totp" | "webauthn";
            label: string;
            secret?: string;
            otpauth_uri?: string;
            public_key?: unknown;
        };
        /**
         * @example {
         *       "code": "492039"
         *     }
         */
        ActivateMfaMethodBody: {
            code?: string;
            attestation?: {
                id: string;
                rawId: string;
                /** @constant */
                type: "public-key";
                response: {
                    clientDataJSON: string;
                    attestationObject: string;
                    transports?: string[];
                };
            };
        } & (unknown | unknown);
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "status": "active",
         *       "recovery_codes": [
         *         "recovery code",
         *         "recovery code",
         *         "recovery code",
         *         "recovery code",
         *         "recovery code",
         *         "recovery code",
         *         "recovery code",
         *         "recovery code",
         *         "recovery code",
         *         "recovery code"
         *       ]
         *     }
         */
        MfaActivated: {
            id: components["schemas"]["Id"];
            /** @constant */
            status: "active";
            /** @description Codes that replace the second factor, each once. Shown only here. */
            recovery_codes?: string[];
        };
        /**
         * @example {
         *       "recovery_codes": [
         *         "recovery code",
         *         "recovery code",
         *         "recovery code",
         *         "recovery code",
         *         "recovery code",
         *         "recovery code",
         *         "recovery code",
         *         "recovery code",
         *         "recovery code",
         *         "recovery code"
         *       ]
         *     }
         */
        MfaRecoveryCodes: {
            /** @description Codes that replace the second factor, each once. Shown only here. */
            recovery_codes: string[];
        };
        /**
         * @example {
         *       "name": "name",
         *       "class": "security",
         *       "default_channels": [
         *         "email"
         *       ],
         *       "user_can_disable": true,
         *       "respects_quiet_hours": true,
         *       "unsubscribe": false,
         *       "default_ttl_seconds": 259200,
         *       "on_unknown": "resend_same_ref",
         *       "built_in": false
         *     }
         */
        NotificationCategory: {
            name: string;
            /**
             * @description The kind of category; marketing can always be unsubscribed from.
             * @enum {string}
             */
            class: "security" | "transactional" | "operational" | "marketing";
            /** @description The channels of a message that names none. */
            default_channels: ("email" | "sms" | "push" | "in_app")[];
            /** @description Whether people can switch the category off. */
            user_can_disable: boolean;
            /** @description Whether messages wait for quiet hours to end. */
            respects_quiet_hours: boolean;
            /** @description Whether mails carry `List-Unsubscribe`. */
            unsubscribe: boolean;
            /** @description How long a message without `expires_at` may wait. */
            default_ttl_seconds: number;
            /**
             * @description What happens when it is not known whether a message arrived: send the same one again, or stop.
             * @enum {string}
             */
            on_unknown: "resend_same_ref" | "give_up";
            built_in: boolean;
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "name": "name",
         *           "class": "security",
         *           "default_channels": [
         *             "email"
         *           ],
         *           "user_can_disable": true,
         *           "respects_quiet_hours": true,
         *           "unsubscribe": false,
         *           "default_ttl_seconds": 259200,
         *           "on_unknown": "resend_same_ref",
         *           "built_in": false
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        NotificationCategoryPage: {
            /** @description The items of this page. */
            data: components["schemas"]["NotificationCategory"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "class": "transactional",
         *       "default_channels": [
         *         "email"
         *       ],
         *       "user_can_disable": true,
         *       "respects_quiet_hours": true,
         *       "unsubscribe": false,
         *       "default_ttl_seconds": 259200,
         *       "on_unknown": "resend_same_ref"
         *     }
         */
        PutNotificationCategory: {
            /**
             * @description The kind of category; marketing can always be unsubscribed from.
             * @enum {string}
             */
            class: "transactional" | "operational" | "marketing";
            /** @description The channels of a message that names none. */
            default_channels: ("email" | "sms" | "push" | "in_app")[];
            /** @description Whether people can switch the category off. */
            user_can_disable?: boolean;
            /** @description Whether messages wait for quiet hours to end. */
            respects_quiet_hours?: boolean;
            /** @description Whether mails carry `List-Unsubscribe`. */
            unsubscribe?: boolean;
            /** @description How long a message without `expires_at` may wait. */
            default_ttl_seconds?: number;
            /**
             * @description What happens when it is not known whether a message arrived: send the same one again, or stop.
             * @enum {string}
             */
            on_unknown?: "resend_same_ref" | "give_up";
        };
        /**
         * @example {
         *       "public_key": "public key"
         *     }
         */
        GetNotificationPushKeyReply: {
            public_key: string;
        };
        /**
         * @example {
         *       "name": "name",
         *       "default_locale": "en",
         *       "data_schema": {},
         *       "channels": {
         *         "email": {
         *           "subject": "Parcel {{ parcel }} is on its way",
         *           "body": "{{ parcel }} arrives today.",
         *           "text": "text",
         *           "format": "html"
         *         },
         *         "sms": {
         *           "body": "{{ parcel }} arrives today."
         *         },
         *         "push": {
         *           "title": "Your parcel is on its way",
         *           "body": "{{ parcel }} arrives today.",
         *           "url": "/orders/A-17"
         *         },
         *         "in_app": {
         *           "title": "Your parcel is on its way",
         *           "body": "{{ parcel }} arrives today.",
         *           "url": "/orders/A-17"
         *         }
         *       },
         *       "locales": {}
         *     }
         */
        NewNotificationTemplate: {
            name: string;
            /** @description The language of the texts in `channels`. */
            default_locale: string;
            /** @description A JSON Schema (2020-12) that the data must fit. */
            data_schema?: {
                [key: string]: unknown;
            };
            /** @description The channels; without it, those of the category for which the template has texts. */
            channels: {
                email?: {
                    /** @description The subject of the mail, as a Liquid template. */
                    subject: string;
                    /** @description The text, as a Liquid template. */
                    body: string;
                    text?: string;
                    /** @enum {string} */
                    format?: "html" | "text";
                };
                sms?: {
                    /** @description The text, as a Liquid template. */
                    body: string;
                };
                push?: {
                    /** @description The title, as a Liquid template. */
                    title: string;
                    /** @description The text, as a Liquid template. */
                    body: string;
                    /** @description Where the message leads: an https address or a path. */
                    url?: string;
                };
                in_app?: {
                    /** @description The title, as a Liquid template. */
                    title: string;
                    /** @description The text, as a Liquid template. */
                    body: string;
                    /** @description Where the message leads: an https address or a path. */
                    url?: string;
                };
            };
            /** @description The texts in further languages. */
            locales?: {
                [key: string]: {
                    email?: {
                        /** @description The subject of the mail, as a Liquid template. */
                        subject: string;
                        /** @description The text, as a Liquid template. */
                        body: string;
                        text?: string;
                    };
                    sms?: {
                        /** @description The text, as a Liquid template. */
                        body: string;
                    };
                    push?: {
                        /** @description The title, as a Liquid template. */
                        title: string;
                        /** @description The text, as a Liquid template. */
                        body: string;
                        /** @description Where the message leads: an https address or a path. */
                        url?: string;
                    };
                    in_app?: {
                        /** @description The title, as a Liquid template. */
                        title: string;
                        /** @description The text, as a Liquid template. */
                        body: string;
                        /** @description Where the message leads: an https address or a path. */
                        url?: string;
                    };
                };
            };
        };
        /**
         * @example {
         *       "name": "name",
         *       "version": 1,
         *       "status": "draft",
         *       "tenant_id": "019c8f3a-5b20-7d41-9e6b-759b6ffea819",
         *       "default_locale": "en",
         *       "data_schema": {},
         *       "channels": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "channel": "email",
         *           "format": "html",
         *           "subject": "Parcel {{ parcel }} is on its way",
         *           "body": "{{ parcel }} arrives today.",
         *           "text": "text",
         *           "url": "/orders/A-17",
         *           "locales": {}
         *         }
         *       ],
         *       "created_at": "2026-03-02T09:30:00.000Z",
         *       "published_at": "2026-03-02T09:30:00.000Z"
         *     }
         */
        NotificationTemplate: {
            name: string;
            version: number;
            /**
             * @description The same as `state`.
             * @enum {string}
             */
            status: "draft" | "published" | "archived";
            tenant_id: components["schemas"]["Id"];
            /** @description The language of the texts in `channels`. */
            default_locale: string;
            /** @description A JSON Schema (2020-12) that the data must fit. */
            data_schema: {
                [key: string]: unknown;
            } | null;
            /** @description The channels; without it, those of the category for which the template has texts. */
            channels: {
                id: components["schemas"]["Id"];
                /**
                 * @description How the message travels.
                 * @enum {string}
                 */
                channel: "email" | "sms" | "push" | "in_app";
                /** @enum {string} */
                format: "html" | "text";
                /** @description The subject of the mail, as a Liquid template. */
                subject: string | null;
                /** @description The text, as a Liquid template. */
                body: string;
                text: string | null;
                /** @description Where the message leads: an https address or a path. */
                url: string | null;
                /** @description The texts in further languages. */
                locales: {
                    [key: string]: {
                        /** @description The subject of the mail, as a Liquid template. */
                        subject: string | null;
                        /** @description The text, as a Liquid template. */
                        body: string;
                        text: string | null;
                        /** @description Where the message leads: an https address or a path. */
                        url: string | null;
                    };
                };
            }[];
            created_at: components["schemas"]["Time"];
            published_at: components["schemas"]["Time"] | null;
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "name": "name",
         *           "version": 1,
         *           "status": "draft",
         *           "default_locale": "en",
         *           "channels": [
         *             "email"
         *           ],
         *           "created_at": "2026-03-02T09:30:00.000Z",
         *           "published_at": "2026-03-02T09:30:00.000Z"
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        ListNotificationTemplatesReply: {
            /** @description The items of this page. */
            data: {
                name: string;
                version: number;
                /**
                 * @description The same as `state`.
                 * @enum {string}
                 */
                status: "draft" | "published" | "archived";
                /** @description The language of the texts in `channels`. */
                default_locale: string;
                /** @description The channels; without it, those of the category for which the template has texts. */
                channels: ("email" | "sms" | "push" | "in_app")[];
                created_at: components["schemas"]["Time"];
                published_at: components["schemas"]["Time"] | null;
            }[];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "data": {},
         *       "channel": "email",
         *       "locale": "de-AT",
         *       "timezone": "Europe/Berlin"
         *     }
         */
        PreviewNotificationTemplateBody: {
            /** @description The items of this page. */
            data: {
                [key: string]: unknown;
            };
            /**
             * @description How the message travels.
             * @enum {string}
             */
            channel: "email" | "sms" | "push" | "in_app";
            /** @description The language, as a BCP 47 tag; `de-AT` falls back to `de`. */
            locale?: string;
            /** @description A name of the IANA list. */
            timezone?: string;
        };
        /**
         * @example {
         *       "channel": "email",
         *       "locale": "de-AT",
         *       "subject": "Parcel A-17 is on its way",
         *       "html": "html",
         *       "text": "text",
         *       "url": "/orders/A-17",
         *       "sha256": "sha256"
         *     }
         */
        RenderedNotification: {
            /**
             * @description How the message travels.
             * @enum {string}
             */
            channel: "email" | "sms" | "push" | "in_app";
            /** @description The language, as a BCP 47 tag; `de-AT` falls back to `de`. */
            locale: string;
            /** @description The rendered subject or title. */
            subject: string | null;
            html: string | null;
            text: string;
            /** @description Where the message leads: an https address or a path. */
            url: string | null;
            /** @description SHA-256 of the rendered message, with tokens and links masked. */
            sha256: string;
        };
        Recipient: {
            /**
             * Format: uuid
             * @description An account: its proven address, its devices and its in-app inbox.
             */
            user_id?: string;
            /**
             * Format: uuid
             * @description A destination that was registered before.
             */
            destination_id?: string;
            /** @description A mail address. */
            email?: string;
            /** @description A number with its country code. */
            phone?: string;
        };
        /**
         * @example {
         *       "recipient": {
         *         "user_id": "019c8f3a-5b20-7d41-9e6b-f89d6b696045",
         *         "destination_id": "019c8f3a-5b20-7d41-9e6b-60bd7941e7ed",
         *         "email": "ann@example.org",
         *         "phone": "+4930901820"
         *       },
         *       "category": "order.updates",
         *       "template": {
         *         "name": "name",
         *         "version": 1
         *       },
         *       "data": {},
         *       "channels": [
         *         "email"
         *       ],
         *       "priority": "critical",
         *       "locale": "de-AT",
         *       "scheduled_at": "2026-03-02T09:30:00.000Z",
         *       "expires_at": "2026-03-02T10:15:00.000Z",
         *       "metadata": {},
         *       "digest": {
         *         "key": "key",
         *         "window_seconds": 3600
         *       },
         *       "dedupe": {
         *         "key": "key",
         *         "window_seconds": 3600
         *       }
         *     }
         */
        NewNotification: {
            /** @description Who gets the message: one of the four members. */
            recipient: components["schemas"]["Recipient"];
            /** @description The kind of message; preferences and permissions are by category. */
            category: string;
            /** @description The template, by default its newest published version. */
            template: {
                name: string;
                version?: number;
            };
            /** @description The variables of the template. */
            data?: {
                [key: string]: unknown;
            };
            /** @description The channels; without it, those of the category for which the template has texts. */
            channels?: ("email" | "sms" | "push" | "in_app")[];
            /**
             * @description The lane: `critical` skips preferences and quiet hours and goes first.
             * @enum {string}
             */
            priority?: "critical" | "high" | "normal" | "bulk";
            /** @description The language, as a BCP 47 tag; `de-AT` falls back to `de`. */
            locale?: string;
            /** @description When to send it; without it, now. */
            scheduled_at?: components["schemas"]["Time"];
            /** @description After this time it is not sent any more. */
            expires_at?: components["schemas"]["Time"];
            metadata?: {
                [key: string]: string;
            };
            /** @description Messages with this key within the window become one message. */
            digest?: {
                key: string;
                /** @description The length of the window in seconds. */
                window_seconds: number;
            };
            /** @description A second message with this key within the window is suppressed. */
            dedupe?: {
                key: string;
                /** @description The length of the window in seconds. */
                window_seconds: number;
            };
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "status": "scheduled",
         *       "tenant_id": "019c8f3a-5b20-7d41-9e6b-759b6ffea819",
         *       "recipient_ref": "user:01990f3e-5a1c-7c44-9d55-2f6f0c3a1b22",
         *       "category": "order.updates",
         *       "priority": "critical",
         *       "template_version": "parcel@1",
         *       "locale": "de-AT",
         *       "data_ref": "019c8f3a-5b20-7d41-9e6b-6388e455cbd0",
         *       "scheduled_at": "2026-03-02T09:30:00.000Z",
         *       "idempotency_key": "idempotency key",
         *       "state": "scheduled",
         *       "expires_at": "2026-03-02T10:15:00.000Z",
         *       "batch_id": "019c8f3a-5b20-7d41-9e6b-77cc3a1e4630",
         *       "digest_id": "019c8f3a-5b20-7d41-9e6b-9d403cbb2ea4",
         *       "metadata": {},
         *       "created_at": "2026-03-02T09:30:00.000Z",
         *       "channels": [
         *         {
         *           "channel": "email",
         *           "state": "state",
         *           "reason": "preference_disabled",
         *           "next_at": "2026-03-02T10:15:00.000Z"
         *         }
         *       ]
         *     }
         */
        Notification: {
            id: components["schemas"]["Id"];
            /**
             * @description The same as `state`.
             * @enum {string}
             */
            status: "scheduled" | "queued" | "held" | "processing" | "sent" | "delivered" | "failed" | "suppressed" | "cancelled" | "expired";
            tenant_id: components["schemas"]["Id"];
            /** @description The recipient as the platform keeps it. */
            recipient_ref: string;
            /** @description The kind of message; preferences and permissions are by category. */
            category: string;
            /**
             * @description The lane: `critical` skips preferences and quiet hours and goes first.
             * @enum {string}
             */
            priority: "critical" | "high" | "normal" | "bulk";
            /** @description The template and the version that is rendered. */
            template_version: string;
            /** @description The language, as a BCP 47 tag; `de-AT` falls back to `de`. */
            locale: string | null;
            /** @description The sealed snapshot of the data. */
            data_ref: components["schemas"]["Id"] | null;
            /** @description When to send it; without it, now. */
            scheduled_at: components["schemas"]["Time"] | null;
            idempotency_key: string | null;
            /**
             * @description Where it stands.
             * @enum {string}
             */
            state: "scheduled" | "queued" | "held" | "processing" | "sent" | "delivered" | "failed" | "suppressed" | "cancelled" | "expired";
            /** @description After this time it is not sent any more. */
            expires_at: components["schemas"]["Time"];
            batch_id: components["schemas"]["Id"] | null;
            digest_id: components["schemas"]["Id"] | null;
            metadata: {
                [key: string]: string;
            } | null;
            created_at: components["schemas"]["Time"];
            /** @description The channels; without it, those of the category for which the template has texts. */
            channels: {
                /**
                 * @description How the message travels.
                 * @enum {string}
                 */
                channel: "email" | "sms" | "push" | "in_app";
                /** @description Where it stands. */
                state: string;
                /** @description Why it stands there. */
                reason: string | null;
                /** @description When it is tried next. */
                next_at: components["schemas"]["Time"] | null;
            }[];
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "status": "scheduled",
         *           "tenant_id": "019c8f3a-5b20-7d41-9e6b-759b6ffea819",
         *           "recipient_ref": "user:01990f3e-5a1c-7c44-9d55-2f6f0c3a1b22",
         *           "category": "order.updates",
         *           "priority": "critical",
         *           "template_version": "parcel@1",
         *           "locale": "de-AT",
         *           "data_ref": "019c8f3a-5b20-7d41-9e6b-6388e455cbd0",
         *           "scheduled_at": "2026-03-02T09:30:00.000Z",
         *           "idempotency_key": "idempotency key",
         *           "state": "scheduled",
         *           "expires_at": "2026-03-02T10:15:00.000Z",
         *           "batch_id": "019c8f3a-5b20-7d41-9e6b-77cc3a1e4630",
         *           "digest_id": "019c8f3a-5b20-7d41-9e6b-9d403cbb2ea4",
         *           "metadata": {},
         *           "created_at": "2026-03-02T09:30:00.000Z",
         *           "channels": [
         *             {
         *               "channel": "email",
         *               "state": "state",
         *               "reason": "preference_disabled",
         *               "next_at": "2026-03-02T10:15:00.000Z"
         *             }
         *           ]
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        NotificationPage: {
            /** @description The items of this page. */
            data: components["schemas"]["Notification"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "status": "expanding",
         *       "state": "expanding",
         *       "category": "order.updates",
         *       "template_version": "parcel@1",
         *       "total": 1,
         *       "duplicates": 1,
         *       "rejected_count": 1,
         *       "rejected": [
         *         {
         *           "line": 1,
         *           "code": "402913"
         *         }
         *       ],
         *       "counts": {},
         *       "eta_seconds": 42,
         *       "created_at": "2026-03-02T09:30:00.000Z",
         *       "completed_at": "2026-03-02T09:30:00.000Z"
         *     }
         */
        NotificationBatch: {
            id: components["schemas"]["Id"];
            /**
             * @description The same as `state`.
             * @enum {string}
             */
            status: "expanding" | "dispatching" | "paused" | "completed" | "cancelled";
            /**
             * @description Where it stands.
             * @enum {string}
             */
            state: "expanding" | "dispatching" | "paused" | "completed" | "cancelled";
            /** @description The kind of message; preferences and permissions are by category. */
            category: string;
            /** @description The template and the version that is rendered. */
            template_version: string;
            total: number;
            duplicates: number;
            rejected_count: number;
            /** @description The first hundred lines that could not be used. */
            rejected: {
                line: number;
                /** @description The six digits that were sent to the destination. */
                code: string;
            }[];
            /** @description How many notifications are in each state. */
            counts: {
                [key: string]: number;
            };
            /** @description How many seconds the rest takes at the speed so far. */
            eta_seconds: number | null;
            created_at: components["schemas"]["Time"];
            completed_at: components["schemas"]["Time"] | null;
        };
        /**
         * @example {
         *       "channels": [
         *         {
         *           "channel": "email",
         *           "decision": "send",
         *           "at": "2026-03-02T09:30:00.000Z",
         *           "because": [
         *             "because"
         *           ]
         *         }
         *       ]
         *     }
         */
        ExplainNotificationReply: {
            /** @description The channels; without it, those of the category for which the template has texts. */
            channels: {
                /**
                 * @description How the message travels.
                 * @enum {string}
                 */
                channel: "email" | "sms" | "push" | "in_app";
                /** @enum {string} */
                decision: "send" | "hold" | "skip";
                at: components["schemas"]["Time"] | null;
                /** @description The reason in a sentence. */
                because: string[];
            }[];
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "status": "scheduled",
         *       "tenant_id": "019c8f3a-5b20-7d41-9e6b-759b6ffea819",
         *       "recipient_ref": "user:01990f3e-5a1c-7c44-9d55-2f6f0c3a1b22",
         *       "category": "order.updates",
         *       "priority": "critical",
         *       "template_version": "parcel@1",
         *       "locale": "de-AT",
         *       "data_ref": "019c8f3a-5b20-7d41-9e6b-6388e455cbd0",
         *       "scheduled_at": "2026-03-02T09:30:00.000Z",
         *       "idempotency_key": "idempotency key",
         *       "state": "scheduled",
         *       "expires_at": "2026-03-02T10:15:00.000Z",
         *       "batch_id": "019c8f3a-5b20-7d41-9e6b-77cc3a1e4630",
         *       "digest_id": "019c8f3a-5b20-7d41-9e6b-9d403cbb2ea4",
         *       "metadata": {},
         *       "created_at": "2026-03-02T09:30:00.000Z",
         *       "channels": [
         *         {
         *           "channel": "email",
         *           "state": "state",
         *           "reason": "preference_disabled",
         *           "next_at": "2026-03-02T10:15:00.000Z"
         *         }
         *       ],
         *       "attempts": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "intent_id": "019c8f3a-5b20-7d41-9e6b-fd11a51b9504",
         *           "channel": "email",
         *           "provider": "relay1",
         *           "attempt_no": 1,
         *           "state": "state",
         *           "provider_message_id": "SM5ef8732a",
         *           "next_attempt_at": "2026-03-02T10:15:00.000Z",
         *           "error_code": "provider_unavailable",
         *           "destination": "a***@example.org",
         *           "wire_at": "2026-03-02T09:30:00.000Z",
         *           "rendered_sha256": "rendered sha256",
         *           "created_at": "2026-03-02T09:30:00.000Z",
         *           "updated_at": "2026-03-02T10:15:00.000Z"
         *         }
         *       ],
         *       "events": [
         *         {
         *           "provider": "relay1",
         *           "event_id": "event id",
         *           "provider_message_id": "SM5ef8732a",
         *           "type": "type",
         *           "occurred_at": "2026-03-02T09:30:00.000Z"
         *         }
         *       ],
         *       "decisions": [
         *         {
         *           "channel": "email",
         *           "rule": "quiet_hours",
         *           "outcome": "hold",
         *           "until": "2026-03-02T10:15:00.000Z",
         *           "decided_at": "2026-03-02T09:30:00.000Z"
         *         }
         *       ]
         *     }
         */
        NotificationDetail: {
            id: components["schemas"]["Id"];
            /**
             * @description The same as `state`.
             * @enum {string}
             */
            status: "scheduled" | "queued" | "held" | "processing" | "sent" | "delivered" | "failed" | "suppressed" | "cancelled" | "expired";
            tenant_id: components["schemas"]["Id"];
            /** @description The recipient as the platform keeps it. */
            recipient_ref: string;
            /** @description The kind of message; preferences and permissions are by category. */
            category: string;
            /**
             * @description The lane: `critical` skips preferences and quiet hours and goes first.
             * @enum {string}
             */
            priority: "critical" | "high" | "normal" | "bulk";
            /** @description The template and the version that is rendered. */
            template_version: string;
            /** @description The language, as a BCP 47 tag; `de-AT` falls back to `de`. */
            locale: string | null;
            /** @description The sealed snapshot of the data. */
            data_ref: components["schemas"]["Id"] | null;
            /** @description When to send it; without it, now. */
            scheduled_at: components["schemas"]["Time"] | null;
            idempotency_key: string | null;
            /**
             * @description Where it stands.
             * @enum {string}
             */
            state: "scheduled" | "queued" | "held" | "processing" | "sent" | "delivered" | "failed" | "suppressed" | "cancelled" | "expired";
            /** @description After this time it is not sent any more. */
            expires_at: components["schemas"]["Time"];
            batch_id: components["schemas"]["Id"] | null;
            digest_id: components["schemas"]["Id"] | null;
            metadata: {
                [key: string]: string;
            } | null;
            created_at: components["schemas"]["Time"];
            /** @description The channels; without it, those of the category for which the template has texts. */
            channels: {
                /**
                 * @description How the message travels.
                 * @enum {string}
                 */
                channel: "email" | "sms" | "push" | "in_app";
                /** @description Where it stands. */
                state: string;
                /** @description Why it stands there. */
                reason: string | null;
                /** @description When it is tried next. */
                next_at: components["schemas"]["Time"] | null;
            }[];
            attempts: {
                id: components["schemas"]["Id"];
                intent_id: components["schemas"]["Id"];
                /**
                 * @description How the message travels.
                 * @enum {string}
                 */
                channel: "email" | "sms" | "push" | "in_app";
                /** @description The provider that carried it. */
                provider: string | null;
                /** @description The number of the attempt, from 1. */
                attempt_no: number;
                /** @description Where it stands. */
                state: string;
                /** @description The id that the provider gave to the message. */
                provider_message_id: string | null;
                next_attempt_at: components["schemas"]["Time"] | null;
                /** @description Why the attempt failed. */
                error_code: string | null;
                /** @description The address; replies mask it. */
                destination: string | null;
                /** @description Since when the message may have reached its provider. */
                wire_at: components["schemas"]["Time"] | null;
                /** @description SHA-256 of the rendered message, with tokens and links masked. */
                rendered_sha256: string | null;
                created_at: components["schemas"]["Time"];
                updated_at: components["schemas"]["Time"];
            }[];
            events: {
                /** @description The provider that carried it. */
                provider: string;
                event_id: string;
                /** @description The id that the provider gave to the message. */
                provider_message_id: string | null;
                type: string;
                occurred_at: components["schemas"]["Time"];
            }[];
            decisions: {
                /**
                 * @description How the message travels.
                 * @enum {string}
                 */
                channel: "email" | "sms" | "push" | "in_app";
                /** @description The rule that decided about the channel. */
                rule: string;
                /** @description What the rule decided. */
                outcome: string;
                until: components["schemas"]["Time"] | null;
                decided_at: components["schemas"]["Time"];
            }[];
        };
        /**
         * @example {
         *       "reason": "preference_disabled"
         *     }
         */
        CancelNotificationBody: {
            /** @description Why it stands there. */
            reason?: string;
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "state": "scheduled",
         *       "effect": "full"
         *     }
         */
        CancelNotificationReply: {
            id: components["schemas"]["Id"];
            /**
             * @description Where it stands.
             * @enum {string}
             */
            state: "scheduled" | "queued" | "held" | "processing" | "sent" | "delivered" | "failed" | "suppressed" | "cancelled" | "expired";
            /**
             * @description Whether all, a part or nothing of it was held back.
             * @enum {string}
             */
            effect: "full" | "partial" | "none";
        };
        /**
         * @example {
         *       "redirect_uri": "redirect uri",
         *       "tenant": "acme",
         *       "purpose": "login",
         *       "state": "state"
         *     }
         */
        BeginOidcLoginBody: {
            redirect_uri: string;
            /** @description The name of the tenant in URLs. */
            tenant?: string;
            purpose?: "login" | "link";
            state?: string;
        };
        /**
         * @example {
         *       "authorization_url": "authorization url",
         *       "expires_in": 900
         *     }
         */
        OidcAuthorization: {
            authorization_url: string;
            /** @description Seconds until the access token expires. */
            expires_in: number;
        };
        OrderSummary: {
            id: components["schemas"]["Id"];
            /** @description The number of the order, without gaps in a shop; null before it is confirmed. */
            number: number | null;
            /**
             * @description Where it is in its life.
             * @enum {string}
             */
            state: "pending" | "confirmed" | "fulfilled" | "payment_failed" | "expired" | "cancelled";
            version: components["schemas"]["Version"];
            /** @description A code of ISO 4217. */
            currency: string;
            buyer_id: components["schemas"]["Id"];
            total_minor: components["schemas"]["Amount"];
            /** @enum {string} */
            payment_state: "none" | "authorizing" | "requires_action" | "pending_provider" | "authorized" | "captured" | "releasing" | "released" | "declined" | "partially_refunded" | "refunded";
            created_at: components["schemas"]["Time"];
            confirmed_at: components["schemas"]["Time"] | null;
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "number": 1042,
         *           "state": "pending",
         *           "version": 1,
         *           "currency": "EUR",
         *           "buyer_id": "019c8f3a-5b20-7d41-9e6b-bbb99d2c293c",
         *           "total_minor": 1,
         *           "payment_state": "none",
         *           "created_at": "2026-03-02T09:30:00.000Z",
         *           "confirmed_at": "2026-03-02T09:30:00.000Z"
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        OrderSummaryPage: {
            /** @description The items of this page. */
            data: components["schemas"]["OrderSummary"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "reason_code": "changed_mind",
         *       "note": "note"
         *     }
         */
        CancelOrder: {
            /** @description Why, in one word. */
            reason_code?: string;
            note?: string;
        };
        /**
         * @example {
         *       "lines": [
         *         {
         *           "order_line_id": "019c8f3a-5b20-7d41-9e6b-47ed97bdb627",
         *           "quantity": 2
         *         }
         *       ],
         *       "carrier": "DHL",
         *       "tracking_number": "00340434161094042557"
         *     }
         */
        ShipOrder: {
            lines: {
                order_line_id: components["schemas"]["Id"];
                /** @description How many. */
                quantity: number;
            }[];
            /** @description Who carries it. */
            carrier?: string;
            /** @description The number by which the carrier knows it. */
            tracking_number?: string;
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "order_id": "019c8f3a-5b20-7d41-9e6b-ca13a6b2c965",
         *       "state": "state",
         *       "lines": [
         *         {
         *           "order_line_id": "019c8f3a-5b20-7d41-9e6b-47ed97bdb627",
         *           "quantity": 2
         *         }
         *       ],
         *       "carrier": "DHL",
         *       "tracking_number": "00340434161094042557",
         *       "created_at": "2026-03-02T09:30:00.000Z",
         *       "shipped_at": "2026-03-02T09:30:00.000Z",
         *       "delivered_at": "2026-03-02T09:30:00.000Z",
         *       "status": "pending"
         *     }
         */
        ShipmentOrStatus: {
            id: components["schemas"]["Id"];
            order_id: components["schemas"]["Id"];
            /** @description Where it is in its life. */
            state: string;
            lines: {
                order_line_id: components["schemas"]["Id"];
                /** @description How many. */
                quantity: number;
            }[];
            /** @description Who carries it. */
            carrier: string | null;
            /** @description The number by which the carrier knows it. */
            tracking_number: string | null;
            created_at: components["schemas"]["Time"];
            shipped_at: components["schemas"]["Time"] | null;
            delivered_at: components["schemas"]["Time"] | null;
            /** @enum {string} */
            status?: "pending";
        };
        /**
         * @example {
         *       "current_password": "correct horse battery staple",
         *       "new_password": "several words that do not belong together"
         *     }
         */
        ChangePasswordBody: {
            /** @description The current password. */
            current_password: string;
            /** @description The new password. */
            new_password: string;
        };
        /**
         * @example {
         *       "email": "ada@example.com",
         *       "tenant": "acme"
         *     }
         */
        RequestPasswordResetBody: {
            /** @description The mail address, as the person wrote it. */
            email: string;
            /** @description The name of the tenant in URLs. */
            tenant?: string;
        };
        /**
         * @example {
         *       "token": "token",
         *       "new_password": "several words that do not belong together"
         *     }
         */
        ResetPasswordBody: {
            token: string;
            /** @description The new password. */
            new_password: string;
        };
        /**
         * @example {
         *       "amount_minor": 4990,
         *       "amount": "49.90",
         *       "currency": "EUR",
         *       "order_ref": "order-1",
         *       "provider": "stripe",
         *       "metadata": {}
         *     }
         */
        CreatePaymentIntent: {
            /** @description The amount in whole minor units of the currency (cents). */
            amount_minor?: number;
            /** @description The amount as an exact decimal text; instead of `amount_minor`. */
            amount?: string;
            /** @description The currency, by ISO 4217. */
            currency: string;
            /** @description What you call the order that is paid. */
            order_ref?: string;
            /** @description The payment provider. */
            provider?: string;
            /** @description Up to 20 texts of your own. Never put card data here. */
            metadata?: {
                [key: string]: string;
            };
        };
        PaymentNextAction: {
            /** @description What to do: `redirect_to_url` sends the buyer to `url`. */
            type: string;
            /** @description The page of the bank. */
            url: string | null;
        };
        PaymentOperation: {
            id: components["schemas"]["Id"];
            /** @enum {string} */
            type: "create" | "authorize" | "capture" | "cancel" | "refund";
            /**
             * @description The state.
             * @enum {string}
             */
            state: "created" | "pending_provider" | "requires_action" | "succeeded" | "failed";
            /** @description The amount in whole minor units of the currency (cents). */
            amount_minor: components["schemas"]["Amount"];
            /** @description The id that the provider gave to the outcome. */
            provider_operation_id: string | null;
            /** @description How many attempts have begun. */
            attempt_count: number;
            /** @description Why it failed, or why it waits for an operator. */
            error_code: string | null;
            created_at: components["schemas"]["Time"];
            /** @description When the outcome became certain. */
            resolved_at: components["schemas"]["Time"] | null;
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "merchant_id": "019c8f3a-5b20-7d41-9e6b-b64b50972676",
         *       "order_ref": "order-1",
         *       "amount_minor": 4990,
         *       "currency": "EUR",
         *       "state": "requires_authorization",
         *       "provider": "stripe",
         *       "provider_customer_ref": null,
         *       "amount_authorized_minor": 4990,
         *       "amount_capturable_minor": 0,
         *       "amount_captured_minor": 4990,
         *       "amount_refunded_minor": 990,
         *       "authorization_expires_at": "2026-03-02T10:15:00.000Z",
         *       "cancellation_reason": null,
         *       "disputed": false,
         *       "last_error": null,
         *       "metadata": {},
         *       "version": 1,
         *       "created_at": "2026-03-02T09:30:00.000Z",
         *       "operation_id": "019c8f3a-5b20-7d41-9e6b-9a9856b253f7",
         *       "status": "pending",
         *       "next_action": null,
         *       "pending_operation": null,
         *       "operations": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "type": "create",
         *           "state": "created",
         *           "amount_minor": 4990,
         *           "provider_operation_id": "ch_3Q9x",
         *           "attempt_count": 1,
         *           "error_code": null,
         *           "created_at": "2026-03-02T09:30:00.000Z",
         *           "resolved_at": "2026-03-02T09:30:00.000Z"
         *         }
         *       ]
         *     }
         */
        PaymentIntent: {
            id: components["schemas"]["Id"];
            /** @description The tenant that is paid. */
            merchant_id: components["schemas"]["Id"];
            /** @description What you call the order that is paid. */
            order_ref: string | null;
            /** @description The amount in whole minor units of the currency (cents). */
            amount_minor: components["schemas"]["Amount"];
            /** @description The currency, by ISO 4217. */
            currency: string;
            /**
             * @description How far the payment is.
             * @enum {string}
             */
            state: "requires_authorization" | "requires_action" | "authorized" | "captured" | "cancelled";
            /** @description The payment provider. */
            provider: string;
            /** @description Always null in this version: saved cards are not supported. */
            provider_customer_ref: string | null;
            /** @description How much was held. */
            amount_authorized_minor: components["schemas"]["Amount"];
            /** @description How much is held and can be captured now. */
            amount_capturable_minor: components["schemas"]["Amount"];
            /** @description How much was taken. */
            amount_captured_minor: components["schemas"]["Amount"];
            /** @description How much of it was given back. */
            amount_refunded_minor: components["schemas"]["Amount"];
            /** @description Until when the bank holds the amount. */
            authorization_expires_at: components["schemas"]["Time"] | null;
            /** @description Why nothing is held any more. */
            cancellation_reason: string | null;
            /** @description Whether a dispute about it is open. */
            disputed: boolean;
            /** @description Why the last authorization or capture failed. */
            last_error: {
                code: string;
                decline_code: string | null;
                /** @description The operation that this request began; events name it, too. */
                operation_id: components["schemas"]["Id"] | null;
            } | null;
            /** @description Up to 20 texts of your own. Never put card data here. */
            metadata: {
                [key: string]: string;
            };
            version: components["schemas"]["Version"];
            created_at: components["schemas"]["Time"];
            /** @description The operation that this request began; events name it, too. */
            operation_id?: components["schemas"]["Id"];
            /**
             * @description `pending`: the outcome is not known yet.
             * @enum {string}
             */
            status?: "pending";
            /** @description What the buyer has to do; only in the reply to a GET. */
            next_action: components["schemas"]["PaymentNextAction"] | null;
            /** @description The operation whose outcome is not known yet. */
            pending_operation: components["schemas"]["PaymentOperation"] | null;
            /** @description The last 20 operations, newest first. */
            operations: components["schemas"]["PaymentOperation"][];
        };
        PaymentIntentSummary: {
            id: components["schemas"]["Id"];
            /** @description The tenant that is paid. */
            merchant_id: components["schemas"]["Id"];
            /** @description What you call the order that is paid. */
            order_ref: string | null;
            /** @description The amount in whole minor units of the currency (cents). */
            amount_minor: components["schemas"]["Amount"];
            /** @description The currency, by ISO 4217. */
            currency: string;
            /**
             * @description How far the payment is.
             * @enum {string}
             */
            state: "requires_authorization" | "requires_action" | "authorized" | "captured" | "cancelled";
            /** @description The payment provider. */
            provider: string;
            /** @description Always null in this version: saved cards are not supported. */
            provider_customer_ref: string | null;
            /** @description How much was held. */
            amount_authorized_minor: components["schemas"]["Amount"];
            /** @description How much is held and can be captured now. */
            amount_capturable_minor: components["schemas"]["Amount"];
            /** @description How much was taken. */
            amount_captured_minor: components["schemas"]["Amount"];
            /** @description How much of it was given back. */
            amount_refunded_minor: components["schemas"]["Amount"];
            /** @description Until when the bank holds the amount. */
            authorization_expires_at: components["schemas"]["Time"] | null;
            /** @description Why nothing is held any more. */
            cancellation_reason: string | null;
            /** @description Whether a dispute about it is open. */
            disputed: boolean;
            /** @description Why the last authorization or capture failed. */
            last_error: {
                code: string;
                decline_code: string | null;
                /** @description The operation that this request began; events name it, too. */
                operation_id: components["schemas"]["Id"] | null;
            } | null;
            /** @description Up to 20 texts of your own. Never put card data here. */
            metadata: {
                [key: string]: string;
            };
            version: components["schemas"]["Version"];
            created_at: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "merchant_id": "019c8f3a-5b20-7d41-9e6b-b64b50972676",
         *           "order_ref": "order-1",
         *           "amount_minor": 4990,
         *           "currency": "EUR",
         *           "state": "requires_authorization",
         *           "provider": "stripe",
         *           "provider_customer_ref": null,
         *           "amount_authorized_minor": 4990,
         *           "amount_capturable_minor": 0,
         *           "amount_captured_minor": 4990,
         *           "amount_refunded_minor": 990,
         *           "authorization_expires_at": "2026-03-02T10:15:00.000Z",
         *           "cancellation_reason": null,
         *           "disputed": false,
         *           "last_error": null,
         *           "metadata": {},
         *           "version": 1,
         *           "created_at": "2026-03-02T09:30:00.000Z"
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        PaymentIntentSummaryPage: {
            /** @description The items of this page. */
            data: components["schemas"]["PaymentIntentSummary"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "payment_method": "pm_card_visa",
         *       "return_url": "https://shop.example/back"
         *     }
         */
        AuthorizePaymentIntent: {
            /** @description The id of a payment method at the provider. */
            payment_method: string;
            /** @description Where the bank sends the buyer after 3-D Secure. */
            return_url?: string;
        };
        /**
         * @example {
         *       "reason": "Requested by the customer."
         *     }
         */
        CancelPaymentIntent: {
            /** @description The reason that the caller gave. It is kept in the audit log. */
            reason?: string;
        };
        /**
         * @example {
         *       "amount_minor": 4990
         *     }
         */
        CapturePaymentIntent: {
            /** @description The amount in whole minor units of the currency (cents). */
            amount_minor?: number;
        };
        /**
         * @example {
         *       "sku": "MUG-BLUE",
         *       "currency": "EUR",
         *       "amount_minor": 1,
         *       "compare_at_minor": 2499,
         *       "prices_include_tax": false,
         *       "effective_from": "2026-03-02T09:30:00.000Z"
         *     }
         */
        AddPriceVersion: {
            /** @description What is sold and stocked, by the name that the shop gave it. */
            sku: components["schemas"]["Sku"];
            /** @description A code of ISO 4217. */
            currency: string;
            amount_minor: number;
            /** @description A former or recommended price that is shown beside it. */
            compare_at_minor?: number;
            /** @description Whether tax is inside the prices or added to them. */
            prices_include_tax?: boolean;
            /** @description From when the price counts. */
            effective_from?: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "sku": "MUG-BLUE",
         *       "currency": "EUR",
         *       "amount_minor": 1,
         *       "compare_at_minor": 2499,
         *       "prices_include_tax": false,
         *       "effective_from": "2026-03-02T09:30:00.000Z",
         *       "created_at": "2026-03-02T09:30:00.000Z"
         *     }
         */
        PriceVersion: {
            id: components["schemas"]["Id"];
            /** @description What is sold and stocked, by the name that the shop gave it. */
            sku: components["schemas"]["Sku"];
            /** @description A code of ISO 4217. */
            currency: string;
            amount_minor: components["schemas"]["Amount"];
            /** @description A former or recommended price that is shown beside it. */
            compare_at_minor: components["schemas"]["Amount"] | null;
            /** @description Whether tax is inside the prices or added to them. */
            prices_include_tax: boolean;
            /** @description From when the price counts. */
            effective_from: components["schemas"]["Time"];
            created_at: components["schemas"]["Time"];
        };
        ProductSummary: {
            id: components["schemas"]["Id"];
            /** @description The name of the product in addresses. */
            handle: string;
            title: string;
            /** @description A path; a list of it includes what is below it. */
            category: string;
            /**
             * @description Where it is in its life.
             * @enum {string}
             */
            state: "draft" | "active" | "archived";
            price_from: {
                amount_minor: components["schemas"]["Amount"];
                /** @description A code of ISO 4217. */
                currency: string;
            } | null;
            in_stock: boolean;
            image: {
                file_id: components["schemas"]["Id"];
                url: string;
            } | null;
            version: components["schemas"]["Version"];
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "handle": "blue-mug",
         *           "title": "title",
         *           "category": "kitchen/mugs",
         *           "state": "draft",
         *           "price_from": {
         *             "amount_minor": 1,
         *             "currency": "EUR"
         *           },
         *           "in_stock": false,
         *           "image": {
         *             "file_id": "019c8f3a-5b20-7d41-9e6b-5c78f6199cc3",
         *             "url": "url"
         *           },
         *           "version": 1
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        ProductSummaryPage: {
            /** @description The items of this page. */
            data: components["schemas"]["ProductSummary"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        GivenVariant: {
            /** @description What is sold and stocked, by the name that the shop gave it. */
            sku: components["schemas"]["Sku"];
            title?: string;
            /** @description What tells this variant from the others. */
            options?: {
                [key: string]: string;
            };
            /** @description The weight of one. */
            weight_grams?: number;
            requires_shipping?: boolean;
            track_inventory?: boolean;
            /** @description How many one order may have. */
            max_order_quantity?: number;
            /**
             * @description Where it is in its life.
             * @enum {string}
             */
            state?: "active" | "disabled";
            prices?: {
                /** @description A code of ISO 4217. */
                currency: string;
                amount_minor: number;
                /** @description A former or recommended price that is shown beside it. */
                compare_at_minor?: number;
                /** @description Whether tax is inside the prices or added to them. */
                prices_include_tax?: boolean;
            }[];
        };
        /**
         * @example {
         *       "handle": "blue-mug",
         *       "title": "title",
         *       "description": "description",
         *       "category": "kitchen/mugs",
         *       "tax_class": "standard",
         *       "attributes": {},
         *       "images": [
         *         "019c8f3a-5b20-7d41-9e6b-6105d6cc76af"
         *       ],
         *       "state": "draft",
         *       "variants": [
         *         {
         *           "sku": "MUG-BLUE",
         *           "title": "title",
         *           "options": {},
         *           "weight_grams": 350,
         *           "requires_shipping": false,
         *           "track_inventory": false,
         *           "max_order_quantity": 999,
         *           "state": "active",
         *           "prices": [
         *             {
         *               "currency": "EUR",
         *               "amount_minor": 1,
         *               "compare_at_minor": 2499,
         *               "prices_include_tax": false
         *             }
         *           ]
         *         }
         *       ]
         *     }
         */
        CreateProduct: {
            /** @description The name of the product in addresses. */
            handle: string;
            title: string;
            description?: string;
            /** @description A path, such as `kitchen/mugs`. */
            category?: string;
            /** @description Which tax rules count for it. */
            tax_class?: string;
            /** @description Names and values that a shop shows. */
            attributes?: {
                [key: string]: string;
            };
            /** @description Ids of uploaded files, the first one for lists. */
            images?: components["schemas"]["Id"][];
            /**
             * @description Where it is in its life.
             * @enum {string}
             */
            state?: "draft" | "active" | "archived";
            variants: components["schemas"]["GivenVariant"][];
        };
        Variant: {
            /** @description What is sold and stocked, by the name that the shop gave it. */
            sku: components["schemas"]["Sku"];
            title: string;
            /** @description What tells this variant from the others. */
            options: {
                [key: string]: string;
            };
            price: {
                amount_minor: components["schemas"]["Amount"];
                /** @description A code of ISO 4217. */
                currency: string;
                price_version_id: components["schemas"]["Id"];
                /** @description A former or recommended price that is shown beside it. */
                compare_at_minor: components["schemas"]["Amount"] | null;
                /** @description Whether tax is inside the prices or added to them. */
                prices_include_tax: boolean;
            } | null;
            in_stock: boolean;
            /** @description How many one order may have. */
            max_order_quantity: number;
            /** @description The weight of one. */
            weight_grams: number;
            requires_shipping: boolean;
            track_inventory: boolean;
            /**
             * @description Where it is in its life.
             * @enum {string}
             */
            state: "active" | "disabled";
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "handle": "blue-mug",
         *       "title": "title",
         *       "description": "description",
         *       "category": "kitchen/mugs",
         *       "tax_class": "standard",
         *       "state": "draft",
         *       "attributes": {},
         *       "images": [
         *         {
         *           "file_id": "019c8f3a-5b20-7d41-9e6b-5c78f6199cc3",
         *           "url": "url"
         *         }
         *       ],
         *       "variants": [
         *         {
         *           "sku": "MUG-BLUE",
         *           "title": "title",
         *           "options": {},
         *           "price": {
         *             "amount_minor": 1,
         *             "currency": "EUR",
         *             "price_version_id": "019c8f3a-5b20-7d41-9e6b-c35dbfe4cdd4",
         *             "compare_at_minor": 2499,
         *             "prices_include_tax": false
         *           },
         *           "in_stock": false,
         *           "max_order_quantity": 999,
         *           "weight_grams": 350,
         *           "requires_shipping": false,
         *           "track_inventory": false,
         *           "state": "active"
         *         }
         *       ],
         *       "version": 1,
         *       "created_at": "2026-03-02T09:30:00.000Z",
         *       "updated_at": "2026-03-02T10:15:00.000Z"
         *     }
         */
        Product: {
            id: components["schemas"]["Id"];
            /** @description The name of the product in addresses. */
            handle: string;
            title: string;
            description: string;
            /** @description A path; a list of it includes what is below it. */
            category: string;
            /** @description Which tax rules count for it. */
            tax_class: string;
            /**
             * @description Where it is in its life.
             * @enum {string}
             */
            state: "draft" | "active" | "archived";
            /** @description Names and values that a shop shows. */
            attributes: {
                [key: string]: string;
            };
            /** @description Ids of uploaded files, the first one for lists. */
            images: {
                file_id: components["schemas"]["Id"];
                url: string;
            }[];
            variants: components["schemas"]["Variant"][];
            version: components["schemas"]["Version"];
            created_at: components["schemas"]["Time"];
            updated_at: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "title": "title",
         *       "description": "description",
         *       "category": "kitchen/mugs",
         *       "tax_class": "standard",
         *       "attributes": {},
         *       "images": [
         *         "019c8f3a-5b20-7d41-9e6b-6105d6cc76af"
         *       ],
         *       "state": "draft",
         *       "variants": [
         *         {
         *           "sku": "MUG-BLUE",
         *           "title": "title",
         *           "options": {},
         *           "weight_grams": 350,
         *           "requires_shipping": false,
         *           "track_inventory": false,
         *           "max_order_quantity": 999,
         *           "state": "active",
         *           "prices": [
         *             {
         *               "currency": "EUR",
         *               "amount_minor": 1,
         *               "compare_at_minor": 2499,
         *               "prices_include_tax": false
         *             }
         *           ]
         *         }
         *       ]
         *     }
         */
        ChangeProduct: {
            title?: string;
            description?: string;
            /** @description A path, such as `kitchen/mugs`. */
            category?: string;
            /** @description Which tax rules count for it. */
            tax_class?: string;
            /** @description Names and values that a shop shows. */
            attributes?: {
                [key: string]: string;
            };
            /** @description Ids of uploaded files, the first one for lists. */
            images?: components["schemas"]["Id"][];
            /**
             * @description Where it is in its life.
             * @enum {string}
             */
            state?: "draft" | "active" | "archived";
            variants?: components["schemas"]["GivenVariant"][];
        };
        /**
         * @example {
         *       "received": false
         *     }
         */
        ProviderMessageReceived: {
            received: boolean;
        };
        /**
         * @example {
         *       "token": "token",
         *       "expires_at": "2026-03-02T10:15:00.000Z",
         *       "url": "url",
         *       "protocol": "realtime.v1"
         *     }
         */
        RealtimeToken: {
            token: string;
            expires_at: components["schemas"]["Time"];
            url: string;
            /** @enum {string} */
            protocol: "realtime.v1";
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "tenant_id": "019c8f3a-5b20-7d41-9e6b-759b6ffea819",
         *       "provider": "stripe",
         *       "external_ref": "txn_1Q9x",
         *       "local_ref": "local ref",
         *       "state": "open",
         *       "discrepancy": "amount_mismatch",
         *       "details": {},
         *       "note": "The buyer sent one item back.",
         *       "resolved_by": "resolved by",
         *       "version": 1,
         *       "created_at": "2026-03-02T09:30:00.000Z",
         *       "resolved_at": "2026-03-02T09:30:00.000Z"
         *     }
         */
        ReconciliationItem: {
            id: components["schemas"]["Id"];
            tenant_id: components["schemas"]["Id"];
            /** @description The payment provider. */
            provider: string;
            /** @description The object of the provider. */
            external_ref: string | null;
            /** @description Our object: a payment, a refund or an operation. */
            local_ref: string | null;
            /**
             * @description The state.
             * @enum {string}
             */
            state: "open" | "auto_resolved" | "resolved" | "ignored";
            /** @description How the books disagree. */
            discrepancy: string;
            /** @description What each side says. */
            details: {
                [key: string]: unknown;
            };
            /** @description A sentence for your own records. */
            note: string | null;
            /** @description The operator who resolved it. */
            resolved_by: string | null;
            version: components["schemas"]["Version"];
            created_at: components["schemas"]["Time"];
            /** @description When the outcome became certain. */
            resolved_at: components["schemas"]["Time"] | null;
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "tenant_id": "019c8f3a-5b20-7d41-9e6b-759b6ffea819",
         *           "provider": "stripe",
         *           "external_ref": "txn_1Q9x",
         *           "local_ref": "local ref",
         *           "state": "open",
         *           "discrepancy": "amount_mismatch",
         *           "details": {},
         *           "note": "The buyer sent one item back.",
         *           "resolved_by": "resolved by",
         *           "version": 1,
         *           "created_at": "2026-03-02T09:30:00.000Z",
         *           "resolved_at": "2026-03-02T09:30:00.000Z"
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        ReconciliationItemPage: {
            /** @description The items of this page. */
            data: components["schemas"]["ReconciliationItem"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "resolution": "resolved",
         *       "note": "The buyer sent one item back."
         *     }
         */
        ResolveReconciliationItem: {
            /**
             * @description `resolved`, or `ignored` where nothing was wrong.
             * @enum {string}
             */
            resolution: "resolved" | "ignored";
            /** @description A sentence for your own records. */
            note: string;
        };
        /**
         * @example {
         *       "from": "2026-03-02T09:30:00.000Z",
         *       "to": "2026-03-02T09:30:00.000Z"
         *     }
         */
        RequestReconciliation: {
            /** @description The beginning of the window. */
            from: components["schemas"]["Time"];
            /** @description The end of the window. */
            to: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "status": "queued",
         *       "from": "2026-03-02T09:30:00.000Z",
         *       "to": "2026-03-02T09:30:00.000Z",
         *       "phase": "payments",
         *       "compared": 120,
         *       "fixed": 1,
         *       "opened": 0,
         *       "proof": {
         *         "EUR": {
         *           "clearing_minor": 3825,
         *           "recorded_minor": 3825,
         *           "provider_minor": 3825
         *         }
         *       },
         *       "requested_by": "schedule",
         *       "created_at": "2026-03-02T09:30:00.000Z",
         *       "finished_at": "2026-03-02T10:15:00.000Z"
         *     }
         */
        ReconciliationRun: {
            id: components["schemas"]["Id"];
            /**
             * @description `pending`: the outcome is not known yet.
             * @enum {string}
             */
            status: "queued" | "running" | "succeeded" | "failed";
            /** @description The beginning of the window. */
            from: components["schemas"]["Time"];
            /** @description The end of the window. */
            to: components["schemas"]["Time"];
            /** @description What is compared now. */
            phase: string;
            /** @description How many objects were compared. */
            compared: number;
            /** @description How many were corrected by what the provider says. */
            fixed: number;
            /** @description How many items were opened. */
            opened: number;
            /** @description By currency: the ledger, the recorded transactions and the balance of the provider. */
            proof: {
                [key: string]: {
                    clearing_minor: number;
                    recorded_minor: number;
                    provider_minor: number;
                };
            } | null;
            /** @description The operator who asked for it, or `schedule`. */
            requested_by: string;
            created_at: components["schemas"]["Time"];
            /** @description When it ended. */
            finished_at: components["schemas"]["Time"] | null;
        };
        /**
         * @example {
         *       "intent_id": "019c8f3a-5b20-7d41-9e6b-fd11a51b9504",
         *       "amount_minor": 4990,
         *       "reason": "requested_by_customer",
         *       "note": "The buyer sent one item back."
         *     }
         */
        CreateRefund: {
            /** @description The payment. */
            intent_id: components["schemas"]["Id"];
            /** @description The amount in whole minor units of the currency (cents). */
            amount_minor?: number;
            /**
             * @description The reason that the caller gave. It is kept in the audit log.
             * @enum {string}
             */
            reason?: "requested_by_customer" | "duplicate" | "fraudulent" | "other";
            /** @description A sentence for your own records. */
            note?: string;
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "intent_id": "019c8f3a-5b20-7d41-9e6b-fd11a51b9504",
         *       "operation_id": "019c8f3a-5b20-7d41-9e6b-9a9856b253f7",
         *       "amount_minor": 4990,
         *       "currency": "EUR",
         *       "state": "pending",
         *       "reason": "Requested by the customer.",
         *       "failure_code": null,
         *       "created_at": "2026-03-02T09:30:00.000Z"
         *     }
         */
        Refund: {
            id: components["schemas"]["Id"];
            /** @description The payment. */
            intent_id: components["schemas"]["Id"];
            /** @description The operation that this request began; events name it, too. */
            operation_id: components["schemas"]["Id"];
            /** @description The amount in whole minor units of the currency (cents). */
            amount_minor: components["schemas"]["Amount"];
            /** @description The currency, by ISO 4217. */
            currency: string;
            /**
             * @description The state.
             * @enum {string}
             */
            state: "pending" | "succeeded" | "failed";
            /** @description The reason that the caller gave. It is kept in the audit log. */
            reason: string;
            /** @description Why the money could not be given back. */
            failure_code: string | null;
            created_at: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "order_id": "019c8f3a-5b20-7d41-9e6b-ca13a6b2c965",
         *       "lines": [
         *         {
         *           "order_line_id": "019c8f3a-5b20-7d41-9e6b-47ed97bdb627",
         *           "quantity": 2,
         *           "reason_code": "changed_mind"
         *         }
         *       ],
         *       "note": "note"
         *     }
         */
        RequestReturn: {
            order_id: components["schemas"]["Id"];
            lines: {
                order_line_id: components["schemas"]["Id"];
                /** @description How many. */
                quantity: number;
                /** @description Why, in one word. */
                reason_code: string;
            }[];
            note?: string;
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "order_id": "019c8f3a-5b20-7d41-9e6b-ca13a6b2c965",
         *           "state": "requested",
         *           "lines": [
         *             {
         *               "order_line_id": "019c8f3a-5b20-7d41-9e6b-47ed97bdb627",
         *               "quantity": 2,
         *               "received_quantity": 1,
         *               "restock": true,
         *               "reason_code": "changed_mind",
         *               "refund_minor": 1
         *             }
         *           ],
         *           "refund_shipping": "none",
         *           "restocking_fee_minor": 500,
         *           "refund": {
         *             "operation_id": "019c8f3a-5b20-7d41-9e6b-9a9856b253f7",
         *             "amount_minor": 1,
         *             "state": "pending"
         *           },
         *           "note": "note",
         *           "version": 1,
         *           "created_at": "2026-03-02T09:30:00.000Z"
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        ReturnPage: {
            /** @description The items of this page. */
            data: components["schemas"]["Return"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "refund_shipping": "none",
         *       "restocking_fee_minor": 500
         *     }
         */
        ApproveReturn: {
            /** @enum {string} */
            refund_shipping?: "none" | "full";
            /** @description What is kept of the refund. */
            restocking_fee_minor?: number;
        };
        /** @example {} */
        CancelReturnBody: Record<string, never>;
        /**
         * @example {
         *       "lines": [
         *         {
         *           "order_line_id": "019c8f3a-5b20-7d41-9e6b-47ed97bdb627",
         *           "received_quantity": 1,
         *           "restock": true
         *         }
         *       ]
         *     }
         */
        ReceiveReturn: {
            lines: {
                order_line_id: components["schemas"]["Id"];
                /** @description How many came back. */
                received_quantity: number;
                /** @description Whether they are sold again. */
                restock: boolean;
            }[];
        };
        /** @example {} */
        RejectReturnBody: Record<string, never>;
        /** @example {} */
        RetryRefundBody: Record<string, never>;
        /**
         * @example {
         *       "role_id": "support_viewer",
         *       "name": "name",
         *       "permissions": [
         *         "permission"
         *       ],
         *       "built_in": false,
         *       "created_at": "2026-03-02T09:30:00.000Z"
         *     }
         */
        Role: {
            /** @description The name of the role. */
            role_id: string;
            name: string;
            /** @description Permissions; some may be limited to a type. */
            permissions: string[];
            built_in: boolean;
            created_at: components["schemas"]["Time"] | null;
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "role_id": "support_viewer",
         *           "name": "name",
         *           "permissions": [
         *             "permission"
         *           ],
         *           "built_in": false,
         *           "created_at": "2026-03-02T09:30:00.000Z"
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        RolePage: {
            /** @description The items of this page. */
            data: components["schemas"]["Role"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "role_id": "support_viewer",
         *       "name": "name",
         *       "permissions": [
         *         "jobs.jobs.read"
         *       ]
         *     }
         */
        CreateRoleBody: {
            /** @description The name of the role. */
            role_id: string;
            name: string;
            /** @description Permissions; some may be limited to a type. */
            permissions: string[];
        };
        SecurityEvent: {
            id: components["schemas"]["Id"];
            account_id: components["schemas"]["Id"] | null;
            action: string;
            actor: string;
            safe_context: {
                request_id?: string | null;
                /** @description The network of the client, without its last bits. */
                ip_prefix?: string | null;
                ua_family?: string | null;
                method?: string | null;
                /** @description The reason that the caller gave. It is kept in the audit log. */
                reason?: string | null;
            };
            occurred_at: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "account_id": "019c8f3a-5b20-7d41-9e6b-739b093ae9fb",
         *           "action": "action",
         *           "actor": "actor",
         *           "safe_context": {
         *             "request_id": "request id",
         *             "ip_prefix": "203.0.113.0/24",
         *             "ua_family": "ua family",
         *             "method": "method",
         *             "reason": "Requested by the customer."
         *           },
         *           "occurred_at": "2026-03-02T09:30:00.000Z"
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        SecurityEventPage: {
            /** @description The items of this page. */
            data: components["schemas"]["SecurityEvent"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "email": "ada@example.com",
         *       "password": "correct horse battery staple",
         *       "tenant": "acme",
         *       "device_name": "device name",
         *       "device_token": "device token",
         *       "delivery": "token"
         *     }
         */
        LogInBody: {
            /** @description The mail address, as the person wrote it. */
            email?: string;
            /** @description The password; at least 8 characters, and not easy to guess. */
            password?: string;
            /** @description The name of the tenant in URLs. */
            tenant?: string;
            oidc_ticket?: string;
            device_name?: string;
            device_token?: string;
            delivery?: "token" | "cookie";
        } & (unknown | unknown);
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "status": "mfa_required",
         *       "login_token": "login token",
         *       "expires_in": 900,
         *       "challenge": {
         *         "challenge_id": "019c8f3a-5b20-7d41-9e6b-47c35d13eca1",
         *         "type": "type",
         *         "expires_at": "2026-03-02T10:15:00.000Z",
         *         "public_key": {}
         *       },
         *       "methods": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "type": "type",
         *           "label": "label"
         *         }
         *       ]
         *     }
         */
        MfaRequired: {
            id: components["schemas"]["Id"];
            /** @constant */
            status: "mfa_required";
            login_token: string;
            /** @description Seconds until the access token expires. */
            expires_in: number;
            challenge: {
                challenge_id: components["schemas"]["Id"];
                type: string;
                expires_at: components["schemas"]["Time"];
                public_key?: unknown;
            };
            methods: {
                id: components["schemas"]["Id"];
                type: string;
                label: string;
            }[];
        };
        /**
         * @example {
         *       "session_id": "019c8f3a-5b20-7d41-9e6b-5c3a09bf22e1",
         *       "account_id": "019c8f3a-5b20-7d41-9e6b-739b093ae9fb",
         *       "tenant_id": "019c8f3a-5b20-7d41-9e6b-759b6ffea819",
         *       "aal": "aal1",
         *       "session_expires_at": "2026-03-02T10:15:00.000Z",
         *       "csrf_token": "5hT0yq"
         *     }
         */
        CurrentSession: {
            session_id: components["schemas"]["Id"];
            account_id: components["schemas"]["Id"];
            tenant_id: components["schemas"]["Id"];
            /** @description The assurance level of the caller: `aal2` with a second factor. */
            aal: "aal1" | "aal2";
            session_expires_at: components["schemas"]["Time"];
            /** @description Send it as `X-CSRF-Token` where a cookie is the credential. */
            csrf_token?: string;
        };
        /**
         * @example {
         *       "refresh_token": "rt_Zr1kqQm0bE4",
         *       "tenant_id": "019c8f3a-5b20-7d41-9e6b-759b6ffea819"
         *     }
         */
        RefreshSessionBody: {
            /** @description Exchange it once for new tokens; keep it secret. */
            refresh_token?: string;
            tenant_id?: components["schemas"]["Id"];
        };
        Settlement: {
            id: components["schemas"]["Id"];
            /** @description The id in the books of the provider. */
            balance_transaction_id: string;
            /** @description What was settled. */
            kind: string;
            /** @description The payment. */
            intent_id: components["schemas"]["Id"] | null;
            /** @description The amount in whole minor units of the currency (cents). */
            amount_minor: number;
            /** @description The fee of the provider in minor units. */
            fee_minor: components["schemas"]["Amount"];
            /** @description The amount less the fee. */
            net_minor: number;
            /** @description The currency, by ISO 4217. */
            currency: string;
            /** @description The rate of the provider, if it converted the amount. */
            exchange_rate: string | null;
            /** @description When the provider pays it out at the earliest. */
            available_on: components["schemas"]["Time"];
            /** @description The payout in which it left. */
            payout_id: string | null;
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "balance_transaction_id": "txn_1Q9x",
         *           "kind": "charge",
         *           "intent_id": "019c8f3a-5b20-7d41-9e6b-fd11a51b9504",
         *           "amount_minor": 4990,
         *           "fee_minor": 175,
         *           "net_minor": 4815,
         *           "currency": "EUR",
         *           "exchange_rate": null,
         *           "available_on": "2026-03-02T09:30:00.000Z",
         *           "payout_id": null
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        SettlementPage: {
            /** @description The items of this page. */
            data: components["schemas"]["Settlement"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "order_id": "019c8f3a-5b20-7d41-9e6b-ca13a6b2c965",
         *           "state": "state",
         *           "lines": [
         *             {
         *               "order_line_id": "019c8f3a-5b20-7d41-9e6b-47ed97bdb627",
         *               "quantity": 2
         *             }
         *           ],
         *           "carrier": "DHL",
         *           "tracking_number": "00340434161094042557",
         *           "created_at": "2026-03-02T09:30:00.000Z",
         *           "shipped_at": "2026-03-02T09:30:00.000Z",
         *           "delivered_at": "2026-03-02T09:30:00.000Z"
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        ShipmentPage: {
            /** @description The items of this page. */
            data: components["schemas"]["Shipment"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /** @example {} */
        ConfirmDeliveryBody: Record<string, never>;
        /** @example {} */
        ReportLostShipmentBody: Record<string, never>;
        /**
         * @example {
         *       "id": "id",
         *       "name": "name",
         *       "tax_class": "standard",
         *       "countries": [
         *         "DE",
         *         "FR"
         *       ],
         *       "bands": [
         *         {
         *           "currency": "EUR",
         *           "min_subtotal_minor": 1,
         *           "amount_minor": 1
         *         }
         *       ],
         *       "state": "active",
         *       "version": 1,
         *       "updated_at": "2026-03-02T10:15:00.000Z"
         *     }
         */
        ShippingMethod: {
            id: string;
            name: string;
            /** @description Which tax rules count for it. */
            tax_class: string;
            /** @description Where it goes; none: everywhere. */
            countries: string[];
            bands: {
                /** @description A code of ISO 4217. */
                currency: string;
                min_subtotal_minor: number;
                amount_minor: number;
            }[];
            /**
             * @description Where it is in its life.
             * @enum {string}
             */
            state: "active" | "disabled";
            version: components["schemas"]["Version"];
            updated_at: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "id",
         *           "name": "name",
         *           "tax_class": "standard",
         *           "countries": [
         *             "DE",
         *             "FR"
         *           ],
         *           "bands": [
         *             {
         *               "currency": "EUR",
         *               "min_subtotal_minor": 1,
         *               "amount_minor": 1
         *             }
         *           ],
         *           "state": "active",
         *           "version": 1,
         *           "updated_at": "2026-03-02T10:15:00.000Z"
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        ShippingMethodPage: {
            /** @description The items of this page. */
            data: components["schemas"]["ShippingMethod"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "name": "name",
         *       "tax_class": "standard",
         *       "countries": [
         *         "DE",
         *         "FR"
         *       ],
         *       "bands": [
         *         {
         *           "currency": "EUR",
         *           "min_subtotal_minor": 1,
         *           "amount_minor": 1
         *         }
         *       ],
         *       "state": "active"
         *     }
         */
        PutShippingMethod: {
            name: string;
            /** @description Which tax rules count for it. */
            tax_class?: string;
            /** @description Where it goes; none: everywhere. */
            countries?: string[];
            bands: {
                /** @description A code of ISO 4217. */
                currency: string;
                min_subtotal_minor: number;
                amount_minor: number;
            }[];
            /**
             * @description Where it is in its life.
             * @enum {string}
             */
            state?: "active" | "disabled";
        };
        /**
         * @example {
         *       "mode": "graceful"
         *     }
         */
        RotateSigningKeyBody: {
            mode: "graceful" | "revoke";
        };
        /**
         * @example {
         *       "kid": "kid",
         *       "state": "state"
         *     }
         */
        SigningKeyRotated: {
            kid: string;
            state: string;
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "destination_hash": "destination hash",
         *       "channel": "email",
         *       "category": "order.updates",
         *       "reason": "preference_disabled",
         *       "effective_at": "2026-03-02T09:30:00.000Z"
         *     }
         */
        Suppression: {
            id: components["schemas"]["Id"];
            /** @description A hash of the address, keyed by the tenant. */
            destination_hash: string;
            /** @description How the message travels. */
            channel: string;
            /** @description The kind of message; preferences and permissions are by category. */
            category: string;
            /** @description Why it stands there. */
            reason: string;
            effective_at: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "destination_hash": "destination hash",
         *           "channel": "email",
         *           "category": "order.updates",
         *           "reason": "preference_disabled",
         *           "effective_at": "2026-03-02T09:30:00.000Z"
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        SuppressionPage: {
            /** @description The items of this page. */
            data: components["schemas"]["Suppression"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "destination": "a***@example.org",
         *       "channel": "email",
         *       "category": "order.updates"
         *     }
         */
        NewSuppression: {
            /** @description The address; replies mask it. */
            destination: string;
            /**
             * @description How the message travels.
             * @enum {string}
             */
            channel: "email" | "sms";
            /** @description The kind of message; preferences and permissions are by category. */
            category?: string;
        };
        /**
         * @example {
         *       "id": "id",
         *       "name": "name",
         *       "tax_class": "standard",
         *       "country": "DE",
         *       "region": "region",
         *       "rate_ppm": 190000,
         *       "state": "active",
         *       "version": 1,
         *       "updated_at": "2026-03-02T10:15:00.000Z"
         *     }
         */
        TaxRule: {
            id: string;
            name: string;
            /** @description Which tax rules count for it. */
            tax_class: string;
            /** @description A code of ISO 3166-1 with two letters. */
            country: string;
            region: string | null;
            /** @description A rate in parts per million: 190000 is 19 %. */
            rate_ppm: number;
            /**
             * @description Where it is in its life.
             * @enum {string}
             */
            state: "active" | "disabled";
            version: components["schemas"]["Version"];
            updated_at: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "id",
         *           "name": "name",
         *           "tax_class": "standard",
         *           "country": "DE",
         *           "region": "region",
         *           "rate_ppm": 190000,
         *           "state": "active",
         *           "version": 1,
         *           "updated_at": "2026-03-02T10:15:00.000Z"
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        TaxRulePage: {
            /** @description The items of this page. */
            data: components["schemas"]["TaxRule"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "name": "name",
         *       "tax_class": "standard",
         *       "country": "DE",
         *       "region": "region",
         *       "rate_ppm": 190000,
         *       "state": "active"
         *     }
         */
        PutTaxRule: {
            name: string;
            /** @description Which tax rules count for it. */
            tax_class: string;
            /** @description A code of ISO 3166-1 with two letters. */
            country: string;
            region?: string;
            /** @description A rate in parts per million: 190000 is 19 %. */
            rate_ppm: number;
            /**
             * @description Where it is in its life.
             * @enum {string}
             */
            state?: "active" | "disabled";
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "slug": "acme",
         *       "name": "name",
         *       "signup": "open",
         *       "state": "active",
         *       "version": 1,
         *       "created_at": "2026-03-02T09:30:00.000Z"
         *     }
         */
        Tenant: {
            id: components["schemas"]["Id"];
            /** @description The name of the tenant in URLs. */
            slug: string;
            name: string;
            signup: "open" | "invite";
            state: "active" | "disabled";
            version: components["schemas"]["Version"];
            created_at: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "slug": "acme",
         *           "name": "name",
         *           "signup": "open",
         *           "state": "active",
         *           "version": 1,
         *           "created_at": "2026-03-02T09:30:00.000Z"
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        TenantPage: {
            /** @description The items of this page. */
            data: components["schemas"]["Tenant"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "slug": "acme",
         *       "name": "name",
         *       "signup": "open",
         *       "state": "active"
         *     }
         */
        CreateTenantBody: {
            /** @description The name of the tenant in URLs. */
            slug: string;
            name: string;
            signup?: "open" | "invite";
            state?: "active" | "disabled";
        };
        /**
         * @example {
         *       "name": "name",
         *       "signup": "open",
         *       "state": "active"
         *     }
         */
        UpdateTenantBody: {
            name?: string;
            signup?: "open" | "invite";
            state?: "active" | "disabled";
        };
        /**
         * @example {
         *       "expected_size": 734003200,
         *       "media_category": "image",
         *       "checksum": "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
         *       "tenant_id": "019c8f3a-5b20-7d41-9e6b-759b6ffea819",
         *       "purpose": "avatar",
         *       "claimed_type": "image/jpeg",
         *       "filename": "holiday.jpg"
         *     }
         */
        CreateUpload: {
            /** @description The exact size of the file in bytes. */
            expected_size: number;
            /**
             * @description The kind of content; `any` accepts every kind.
             * @enum {string}
             */
            media_category: "image" | "video" | "audio" | "document" | "text" | "archive" | "any";
            /** @description The SHA-256 of the bytes. */
            checksum?: string;
            tenant_id?: components["schemas"]["Id"];
            /**
             * @description What the file is for; it decides sizes, types, derivatives and readers.
             * @enum {string}
             */
            purpose: "avatar" | "product_media" | "post_media" | "chat_attachment" | "document_ingest" | "job_input" | "generic";
            /** @description The media type that the client states. */
            claimed_type?: string;
            /** @description The name that a download gets; never a path. */
            filename?: string;
        };
        PartUrl: {
            /** @description The number of the part, from 1. */
            part_number: number;
            url: string;
            /** @enum {string} */
            method: "PUT";
            headers: {
                [key: string]: string;
            };
            /** @description Where the part begins in the file. */
            offset: number;
            /** @description The size in bytes. */
            size: number;
            /** @description When it ends. */
            expires_at: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "upload_id": "019c8f3a-5b20-7d41-9e6b-2bc2b5e4a576",
         *       "object_key": "o/2026/11/22/3v8Qm1xkT0a9dW2bYz7LfHq",
         *       "state": "initiated",
         *       "quarantined": true,
         *       "part_size": 8388608,
         *       "part_count": 88,
         *       "upload_url": "upload url",
         *       "upload_headers": {},
         *       "part_urls": [
         *         {
         *           "part_number": 1,
         *           "url": "url",
         *           "method": "PUT",
         *           "headers": {},
         *           "offset": 0,
         *           "size": 8388608,
         *           "expires_at": "2026-03-02T10:15:00.000Z"
         *         }
         *       ],
         *       "next_part_number": 51,
         *       "max_parallel_parts": 8,
         *       "expires_at": "2026-03-02T10:15:00.000Z"
         *     }
         */
        NewUpload: {
            id: components["schemas"]["Id"];
            /** @description The upload. */
            upload_id: components["schemas"]["Id"];
            /** @description The key in the object store. */
            object_key: string;
            /**
             * @description Where it stands; only `available` is safe to read.
             * @enum {string}
             */
            state: "initiated" | "uploaded" | "available" | "quarantined" | "aborted" | "expired";
            /** @description True until the file is available. */
            quarantined: boolean;
            /** @description The size in bytes of every part but the last. */
            part_size: number;
            /** @description How many parts there are. */
            part_count: number;
            /** @description Where the only part of a small file is sent. */
            upload_url: string | null;
            /** @description Headers to send with the only part. */
            upload_headers: {
                [key: string]: string;
            } | null;
            /** @description Where parts are sent. */
            part_urls: components["schemas"]["PartUrl"][] | null;
            /** @description The first part that this answer has no URL for. */
            next_part_number: number | null;
            /** @description How many parts to send at once. */
            max_parallel_parts: number;
            /** @description When it ends. */
            expires_at: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "upload_id": "019c8f3a-5b20-7d41-9e6b-2bc2b5e4a576",
         *       "tenant_id": "019c8f3a-5b20-7d41-9e6b-759b6ffea819",
         *       "owner_id": "019c8f3a-5b20-7d41-9e6b-8b848a683efe",
         *       "purpose": "avatar",
         *       "media_category": "image",
         *       "object_key": "o/2026/11/22/3v8Qm1xkT0a9dW2bYz7LfHq",
         *       "expected_size": 734003200,
         *       "expected_checksum": "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
         *       "claimed_type": "image/jpeg",
         *       "detected_type": "image/jpeg",
         *       "filename": "holiday.jpg",
         *       "state": "initiated",
         *       "quarantined": true,
         *       "stage": "scan",
         *       "error_code": "type_mismatch",
         *       "part_size": 8388608,
         *       "part_count": 88,
         *       "received_bytes": 8388608,
         *       "missing_parts": [
         *         [
         *           2,
         *           88
         *         ]
         *       ],
         *       "file": {
         *         "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *         "file_id": "019c8f3a-5b20-7d41-9e6b-5c78f6199cc3",
         *         "upload_id": "019c8f3a-5b20-7d41-9e6b-2bc2b5e4a576",
         *         "owner_id": "019c8f3a-5b20-7d41-9e6b-8b848a683efe",
         *         "purpose": "avatar",
         *         "state": "uploaded",
         *         "stage": "scan",
         *         "error_code": "type_mismatch",
         *         "size": 8388608,
         *         "checksum": "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
         *         "media_category": "image",
         *         "claimed_type": "image/jpeg",
         *         "detected_type": "image/jpeg",
         *         "filename": "holiday.jpg",
         *         "metadata": {
         *           "width": 1280,
         *           "height": 960,
         *           "frames": 1,
         *           "entries": 1,
         *           "expanded_bytes": 1,
         *           "pages": 1
         *         },
         *         "scan_result": {
         *           "verdict": "clean",
         *           "engines": [
         *             {
         *               "name": "name",
         *               "version": "version",
         *               "signatures": "27500"
         *             }
         *           ],
         *           "sha256": "sha256",
         *           "scanned_at": "2026-03-02T09:30:00.000Z",
         *           "findings": [
         *             "finding"
         *           ]
         *         },
         *         "derivatives": [
         *           {
         *             "kind": "thumbnail",
         *             "state": "pending",
         *             "media_type": "media type",
         *             "size": 8388608,
         *             "checksum": "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
         *             "width": 1280,
         *             "height": 960
         *           }
         *         ],
         *         "created_at": "2026-03-02T09:30:00.000Z",
         *         "available_at": "2026-03-02T09:30:00.000Z",
         *         "retention_until": "2026-03-02T10:15:00.000Z",
         *         "deleted_at": "2026-03-02T09:30:00.000Z"
         *       },
         *       "expires_at": "2026-03-02T10:15:00.000Z",
         *       "created_at": "2026-03-02T09:30:00.000Z"
         *     }
         */
        Upload: {
            id: components["schemas"]["Id"];
            /** @description The upload. */
            upload_id: components["schemas"]["Id"];
            tenant_id: components["schemas"]["Id"];
            owner_id: components["schemas"]["Id"];
            /**
             * @description What the file is for; it decides sizes, types, derivatives and readers.
             * @enum {string}
             */
            purpose: "avatar" | "product_media" | "post_media" | "chat_attachment" | "document_ingest" | "job_input" | "generic";
            /**
             * @description The kind of content; `any` accepts every kind.
             * @enum {string}
             */
            media_category: "image" | "video" | "audio" | "document" | "text" | "archive" | "any";
            /** @description The key in the object store. */
            object_key: string;
            /** @description The exact size of the file in bytes. */
            expected_size: number;
            /** @description The checksum that the stored bytes must have. */
            expected_checksum: string | null;
            /** @description The media type that the client states. */
            claimed_type: string | null;
            /** @description The media type that the bytes have. */
            detected_type: string | null;
            /** @description The name that a download gets; never a path. */
            filename: string | null;
            /**
             * @description Where it stands; only `available` is safe to read.
             * @enum {string}
             */
            state: "initiated" | "uploaded" | "available" | "quarantined" | "aborted" | "expired";
            /** @description True until the file is available. */
            quarantined: boolean;
            /** @description The step of processing that is next, or `verifying`. */
            stage: string | null;
            /** @description Why it was refused. */
            error_code: string | null;
            /** @description The size in bytes of every part but the last. */
            part_size: number;
            /** @description How many parts there are. */
            part_count: number;
            /** @description How many bytes are stored. */
            received_bytes: number;
            /** @description Ranges of parts that are not stored, first and last included. */
            missing_parts: number[][];
            file: components["schemas"]["File"] | null;
            /** @description When it ends. */
            expires_at: components["schemas"]["Time"];
            created_at: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "parts": [
         *         {
         *           "part_number": 1,
         *           "etag": "\"9f86d081884c7d65\"",
         *           "size": 8388608,
         *           "checksum": "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
         *         }
         *       ],
         *       "checksum": "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
         *     }
         */
        CompleteUpload: {
            /** @description Parts as the client knows them; they are compared with what is stored. */
            parts?: {
                /** @description The number of the part, from 1. */
                part_number: number;
                /** @description The entity tag of the stored part. */
                etag?: string;
                /** @description The size in bytes. */
                size?: number;
                /** @description The SHA-256 of the bytes. */
                checksum?: string;
            }[];
            /** @description The SHA-256 of the bytes. */
            checksum?: string;
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "upload_id": "019c8f3a-5b20-7d41-9e6b-2bc2b5e4a576",
         *       "file_id": "019c8f3a-5b20-7d41-9e6b-5c78f6199cc3",
         *       "status": "processing",
         *       "state": "initiated",
         *       "quarantined": true,
         *       "stage": "scan"
         *     }
         */
        CompletedUpload: {
            id: components["schemas"]["Id"];
            /** @description The upload. */
            upload_id: components["schemas"]["Id"];
            /** @description The file that a completed upload became. */
            file_id: components["schemas"]["Id"] | null;
            /** @enum {string} */
            status: "processing" | "available";
            /**
             * @description Where it stands; only `available` is safe to read.
             * @enum {string}
             */
            state: "initiated" | "uploaded" | "available" | "quarantined" | "aborted" | "expired";
            /** @description True until the file is available. */
            quarantined: boolean;
            /** @description The step of processing that is next, or `verifying`. */
            stage: string | null;
        };
        /**
         * @example {
         *       "parts": [
         *         {
         *           "part_number": 1,
         *           "etag": "\"9f86d081884c7d65\"",
         *           "size": 8388608,
         *           "checksum": "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
         *         }
         *       ],
         *       "part_numbers": [
         *         51,
         *         52
         *       ],
         *       "remaining": true
         *     }
         */
        RegisterParts: {
            /** @description Parts as the client knows them; they are compared with what is stored. */
            parts?: {
                /** @description The number of the part, from 1. */
                part_number: number;
                /** @description The entity tag of the stored part. */
                etag?: string;
                /** @description The size in bytes. */
                size?: number;
                /** @description The SHA-256 of the bytes. */
                checksum?: string;
            }[];
            /** @description The parts that you want URLs for. */
            part_numbers?: number[];
            /** @description Whether to return URLs of all missing parts, 50 at a time. */
            remaining?: boolean;
        };
        /**
         * @example {
         *       "upload_id": "019c8f3a-5b20-7d41-9e6b-2bc2b5e4a576",
         *       "state": "initiated",
         *       "received_bytes": 8388608,
         *       "parts": [
         *         {
         *           "part_number": 1,
         *           "size": 8388608,
         *           "etag": "\"9f86d081884c7d65\""
         *         }
         *       ],
         *       "missing_parts": [
         *         [
         *           2,
         *           88
         *         ]
         *       ],
         *       "part_urls": [
         *         {
         *           "part_number": 1,
         *           "url": "url",
         *           "method": "PUT",
         *           "headers": {},
         *           "offset": 0,
         *           "size": 8388608,
         *           "expires_at": "2026-03-02T10:15:00.000Z"
         *         }
         *       ],
         *       "next_part_number": 51,
         *       "expires_at": "2026-03-02T10:15:00.000Z"
         *     }
         */
        RegisteredParts: {
            /** @description The upload. */
            upload_id: components["schemas"]["Id"];
            /**
             * @description Where it stands; only `available` is safe to read.
             * @enum {string}
             */
            state: "initiated" | "uploaded" | "available" | "quarantined" | "aborted" | "expired";
            /** @description How many bytes are stored. */
            received_bytes: number;
            /** @description Parts as the client knows them; they are compared with what is stored. */
            parts: {
                /** @description The number of the part, from 1. */
                part_number: number;
                /** @description The size in bytes. */
                size: number;
                /** @description The entity tag of the stored part. */
                etag: string;
            }[];
            /** @description Ranges of parts that are not stored, first and last included. */
            missing_parts: number[][];
            /** @description Where parts are sent. */
            part_urls: components["schemas"]["PartUrl"][];
            /** @description The first part that this answer has no URL for. */
            next_part_number: number | null;
            /** @description When it ends. */
            expires_at: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "channel": "email",
         *       "provider": "fcm",
         *       "address": "address",
         *       "token": "fGx1-device-token",
         *       "subscription": {
         *         "endpoint": "endpoint",
         *         "keys": {
         *           "p256dh": "p256dh",
         *           "auth": "auth"
         *         }
         *       }
         *     }
         */
        NewDestination: {
            /**
             * @description How the message travels.
             * @enum {string}
             */
            channel: "email" | "sms" | "push";
            /**
             * @description The provider that carried it.
             * @enum {string}
             */
            provider?: "fcm" | "webpush";
            address?: string;
            /** @description The token of the device or of the link. */
            token?: string;
            /** @description The push subscription as the browser returns it. */
            subscription?: {
                endpoint: string;
                keys: {
                    p256dh: string;
                    auth: string;
                };
            };
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "user_id": "019c8f3a-5b20-7d41-9e6b-f89d6b696045",
         *       "channel": "email",
         *       "provider": "relay1",
         *       "destination": "a***@example.org",
         *       "verified_at": "2026-03-02T09:30:00.000Z",
         *       "disabled_at": "2026-03-02T09:30:00.000Z",
         *       "created_at": "2026-03-02T09:30:00.000Z"
         *     }
         */
        Destination: {
            id: components["schemas"]["Id"];
            user_id: components["schemas"]["Id"];
            /** @description How the message travels. */
            channel: string;
            /** @description The provider that carried it. */
            provider: string | null;
            /** @description The address; replies mask it. */
            destination: string;
            /** @description Since when it is used; null until its code was given. */
            verified_at: components["schemas"]["Time"] | null;
            /** @description Since when the push service does not know the device any more. */
            disabled_at: components["schemas"]["Time"] | null;
            created_at: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "user_id": "019c8f3a-5b20-7d41-9e6b-f89d6b696045",
         *           "channel": "email",
         *           "provider": "relay1",
         *           "destination": "a***@example.org",
         *           "verified_at": "2026-03-02T09:30:00.000Z",
         *           "disabled_at": "2026-03-02T09:30:00.000Z",
         *           "created_at": "2026-03-02T09:30:00.000Z"
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        DestinationPage: {
            /** @description The items of this page. */
            data: components["schemas"]["Destination"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "code": "402913"
         *     }
         */
        VerifyDestinationBody: {
            /** @description The six digits that were sent to the destination. */
            code: string;
        };
        /**
         * @example {
         *       "user_id": "019c8f3a-5b20-7d41-9e6b-f89d6b696045",
         *       "timezone": "Europe/Berlin",
         *       "locale": "de-AT",
         *       "preferences": [
         *         {
         *           "user_id": "019c8f3a-5b20-7d41-9e6b-f89d6b696045",
         *           "category": "order.updates",
         *           "channel": "email",
         *           "enabled": true,
         *           "quiet_hours": {
         *             "start": "22:00",
         *             "end": "07:00",
         *             "days": [
         *               1,
         *               2,
         *               3,
         *               4,
         *               5
         *             ]
         *           },
         *           "timezone": "Europe/Berlin"
         *         }
         *       ],
         *       "updated_at": "2026-03-02T10:15:00.000Z"
         *     }
         */
        NotificationPreferences: {
            user_id: components["schemas"]["Id"];
            /** @description A name of the IANA list. */
            timezone: string;
            /** @description The language, as a BCP 47 tag; `de-AT` falls back to `de`. */
            locale: string | null;
            /** @description The whole set; what it does not name has its default. */
            preferences: {
                user_id: components["schemas"]["Id"];
                /** @description The kind of message; preferences and permissions are by category. */
                category: string;
                /** @description How the message travels. */
                channel: string;
                /** @description Whether messages of this category go over this channel. */
                enabled: boolean;
                /** @description A daily window in which messages wait. */
                quiet_hours: {
                    /** @description Local time at which quiet hours start. */
                    start: string;
                    /** @description Local time at which quiet hours end. */
                    end: string;
                    /** @description The weekdays on which a window starts; 1 is Monday. */
                    days?: number[];
                } | null;
                /** @description A name of the IANA list. */
                timezone: string | null;
            }[];
            updated_at: components["schemas"]["Time"] | null;
        };
        /**
         * @example {
         *       "timezone": "Europe/Berlin",
         *       "locale": "de-AT",
         *       "preferences": [
         *         {
         *           "category": "order.updates",
         *           "channel": "email",
         *           "enabled": true,
         *           "quiet_hours": {
         *             "start": "22:00",
         *             "end": "07:00",
         *             "days": [
         *               1,
         *               2,
         *               3,
         *               4,
         *               5
         *             ]
         *           },
         *           "timezone": "Europe/Berlin"
         *         }
         *       ]
         *     }
         */
        PutNotificationPreferences: {
            /** @description A name of the IANA list. */
            timezone: string;
            /** @description The language, as a BCP 47 tag; `de-AT` falls back to `de`. */
            locale?: string | null;
            /** @description The whole set; what it does not name has its default. */
            preferences: {
                /** @description The kind of message; preferences and permissions are by category. */
                category: string | "*";
                /**
                 * @description How the message travels.
                 * @enum {string}
                 */
                channel: "email" | "sms" | "push" | "in_app" | "*";
                /** @description Whether messages of this category go over this channel. */
                enabled: boolean;
                /** @description A daily window in which messages wait. */
                quiet_hours?: {
                    /** @description Local time at which quiet hours start. */
                    start: string;
                    /** @description Local time at which quiet hours end. */
                    end: string;
                    /** @description The weekdays on which a window starts; 1 is Monday. */
                    days?: number[];
                } | null;
                /** @description A name of the IANA list. */
                timezone?: string | null;
            }[];
        };
        WebhookDelivery: {
            id: components["schemas"]["Id"];
            tenant_id: components["schemas"]["Id"];
            event_id: components["schemas"]["Id"];
            subscription_id: components["schemas"]["Id"];
            /** @enum {string} */
            state: "pending" | "delivered" | "permanent_failure" | "exhausted" | "cancelled";
            /** @description How many attempts have begun. */
            attempt_count: number;
            next_attempt_at: components["schemas"]["Time"] | null;
            /** @description The status that the endpoint answered last. */
            last_http_status: number | null;
            /** @description Why the last attempt failed. */
            last_error_code: string | null;
            completed_at: components["schemas"]["Time"] | null;
            /** @description The type of the event. */
            event_type: string;
            aggregate_id: components["schemas"]["Id"];
            aggregate_version: number;
            replay_no: number;
            created_at: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "tenant_id": "019c8f3a-5b20-7d41-9e6b-759b6ffea819",
         *           "event_id": "019c8f3a-5b20-7d41-9e6b-57c7c8267db4",
         *           "subscription_id": "019c8f3a-5b20-7d41-9e6b-56c8a8bf72a9",
         *           "state": "pending",
         *           "attempt_count": 1,
         *           "next_attempt_at": "2026-03-02T10:15:00.000Z",
         *           "last_http_status": 503,
         *           "last_error_code": "timeout",
         *           "completed_at": "2026-03-02T09:30:00.000Z",
         *           "event_type": "job.succeeded",
         *           "aggregate_id": "019c8f3a-5b20-7d41-9e6b-a66c3ac6d454",
         *           "aggregate_version": 1,
         *           "replay_no": 1,
         *           "created_at": "2026-03-02T09:30:00.000Z"
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        WebhookDeliveryPage: {
            /** @description The items of this page. */
            data: components["schemas"]["WebhookDelivery"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        WebhookDeliveryAttempt: {
            id: components["schemas"]["Id"];
            delivery_id: components["schemas"]["Id"];
            attempt_no: number;
            started_at: components["schemas"]["Time"];
            /** @description How long the attempt took. */
            duration_ms: number | null;
            http_status: number | null;
            error_code: string | null;
            /** @description The beginning of what the endpoint answered. */
            response_excerpt: string | null;
            timings: {
                dns_ms: number;
                connect_ms: number;
                tls_ms: number;
                first_byte_ms: number;
                total_ms: number;
            } | null;
            remote_ip: string | null;
            secret_version: number | null;
            replay_id: components["schemas"]["Id"] | null;
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "tenant_id": "019c8f3a-5b20-7d41-9e6b-759b6ffea819",
         *       "event_id": "019c8f3a-5b20-7d41-9e6b-57c7c8267db4",
         *       "subscription_id": "019c8f3a-5b20-7d41-9e6b-56c8a8bf72a9",
         *       "state": "pending",
         *       "attempt_count": 1,
         *       "next_attempt_at": "2026-03-02T10:15:00.000Z",
         *       "last_http_status": 503,
         *       "last_error_code": "timeout",
         *       "completed_at": "2026-03-02T09:30:00.000Z",
         *       "event_type": "job.succeeded",
         *       "aggregate_id": "019c8f3a-5b20-7d41-9e6b-a66c3ac6d454",
         *       "aggregate_version": 1,
         *       "replay_no": 1,
         *       "created_at": "2026-03-02T09:30:00.000Z",
         *       "body_sha256": "body sha256",
         *       "attempts": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "delivery_id": "019c8f3a-5b20-7d41-9e6b-3a33c056f8a4",
         *           "attempt_no": 1,
         *           "started_at": "2026-03-02T09:30:00.000Z",
         *           "duration_ms": 184,
         *           "http_status": 1,
         *           "error_code": "error code",
         *           "response_excerpt": "service unavailable",
         *           "timings": {
         *             "dns_ms": 1,
         *             "connect_ms": 1,
         *             "tls_ms": 1,
         *             "first_byte_ms": 1,
         *             "total_ms": 1
         *           },
         *           "remote_ip": "remote ip",
         *           "secret_version": 1,
         *           "replay_id": "019c8f3a-5b20-7d41-9e6b-bb653e8a40cd"
         *         }
         *       ],
         *       "replays": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "actor": "actor",
         *           "reason": "Requested by the customer.",
         *           "created_at": "2026-03-02T09:30:00.000Z"
         *         }
         *       ]
         *     }
         */
        WebhookDeliveryInFull: {
            id: components["schemas"]["Id"];
            tenant_id: components["schemas"]["Id"];
            event_id: components["schemas"]["Id"];
            subscription_id: components["schemas"]["Id"];
            /** @enum {string} */
            state: "pending" | "delivered" | "permanent_failure" | "exhausted" | "cancelled";
            /** @description How many attempts have begun. */
            attempt_count: number;
            next_attempt_at: components["schemas"]["Time"] | null;
            /** @description The status that the endpoint answered last. */
            last_http_status: number | null;
            /** @description Why the last attempt failed. */
            last_error_code: string | null;
            completed_at: components["schemas"]["Time"] | null;
            /** @description The type of the event. */
            event_type: string;
            aggregate_id: components["schemas"]["Id"];
            aggregate_version: number;
            replay_no: number;
            created_at: components["schemas"]["Time"];
            body_sha256: string | null;
            attempts: components["schemas"]["WebhookDeliveryAttempt"][];
            replays: {
                id: components["schemas"]["Id"];
                actor: string;
                /** @description The reason that the caller gave. It is kept in the audit log. */
                reason: string;
                created_at: components["schemas"]["Time"];
            }[];
        };
        /**
         * @example {
         *       "reason": "Requested by the customer."
         *     }
         */
        ReplayWebhookDeliveryBody: {
            /** @description The reason that the caller gave. It is kept in the audit log. */
            reason: string;
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "status": "pending",
         *       "replay_id": "019c8f3a-5b20-7d41-9e6b-bb653e8a40cd",
         *       "event_id": "019c8f3a-5b20-7d41-9e6b-57c7c8267db4",
         *       "attempt_count": 1
         *     }
         */
        ReplayWebhookDeliveryReply: {
            id: components["schemas"]["Id"];
            /** @constant */
            status: "pending";
            replay_id: components["schemas"]["Id"];
            event_id: components["schemas"]["Id"];
            /** @description How many attempts have begun. */
            attempt_count: number;
        };
        WebhookEventType: {
            type: string;
            schema_version: number;
            json_schema: unknown;
            example: unknown;
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "type": "type",
         *           "schema_version": 1,
         *           "json_schema": {},
         *           "example": {}
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        WebhookEventTypePage: {
            /** @description The items of this page. */
            data: components["schemas"]["WebhookEventType"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        WebhookEvent: {
            id: components["schemas"]["Id"];
            tenant_id: components["schemas"]["Id"];
            type: string;
            schema_version: number;
            aggregate_id: components["schemas"]["Id"];
            aggregate_version: number;
            payload_ref: string;
            occurred_at: components["schemas"]["Time"];
            created_at: components["schemas"]["Time"];
            /** @description The items of this page. */
            data: unknown;
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "tenant_id": "019c8f3a-5b20-7d41-9e6b-759b6ffea819",
         *           "type": "type",
         *           "schema_version": 1,
         *           "aggregate_id": "019c8f3a-5b20-7d41-9e6b-a66c3ac6d454",
         *           "aggregate_version": 1,
         *           "payload_ref": "payload ref",
         *           "occurred_at": "2026-03-02T09:30:00.000Z",
         *           "created_at": "2026-03-02T09:30:00.000Z",
         *           "data": {}
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        ListWebhookEventsReply: {
            /** @description The items of this page. */
            data: components["schemas"]["WebhookEvent"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: string;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "tenant_id": "019c8f3a-5b20-7d41-9e6b-759b6ffea819",
         *       "type": "type",
         *       "schema_version": 1,
         *       "aggregate_id": "019c8f3a-5b20-7d41-9e6b-a66c3ac6d454",
         *       "aggregate_version": 1,
         *       "payload_ref": "payload ref",
         *       "occurred_at": "2026-03-02T09:30:00.000Z",
         *       "created_at": "2026-03-02T09:30:00.000Z",
         *       "data": {},
         *       "deliveries": {
         *         "total": 1,
         *         "pending": 1,
         *         "delivered": 1,
         *         "permanent_failure": 1,
         *         "exhausted": 1,
         *         "cancelled": 1
         *       }
         *     }
         */
        WebhookEventWithDeliveries: {
            id: components["schemas"]["Id"];
            tenant_id: components["schemas"]["Id"];
            type: string;
            schema_version: number;
            aggregate_id: components["schemas"]["Id"];
            aggregate_version: number;
            payload_ref: string;
            occurred_at: components["schemas"]["Time"];
            created_at: components["schemas"]["Time"];
            /** @description The items of this page. */
            data: unknown;
            deliveries: {
                total: number;
                pending: number;
                delivered: number;
                permanent_failure: number;
                exhausted: number;
                cancelled: number;
            };
        };
        /**
         * @example {
         *       "endpoint": "https://hooks.example.com/dodeca",
         *       "event_filter": {
         *         "types": [
         *           "type"
         *         ],
         *         "aggregate_ids": [
         *           "019c8f3a-5b20-7d41-9e6b-a66c3ac6d454"
         *         ]
         *       },
         *       "api_version": "api version",
         *       "description": "description",
         *       "ordering": "none",
         *       "max_in_flight": 1,
         *       "rate_per_second": 1,
         *       "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
         *       "verification": "auto"
         *     }
         */
        CreateWebhookSubscriptionBody: {
            /** @description The public `https` address that receives events. */
            endpoint: string;
            /** @description Which events are sent. */
            event_filter: {
                /** @description Types of events, or patterns such as `job.*`. */
                types: string[];
                aggregate_ids?: components["schemas"]["Id"][];
            };
            api_version: string;
            description?: string | null;
            /** @description Whether events of one aggregate wait for each other. */
            ordering?: "none" | "aggregate";
            max_in_flight?: number;
            rate_per_second?: number | null;
            /** @description Signs each request; shown only here. */
            secret?: string;
            verification?: "auto" | "manual";
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "tenant_id": "019c8f3a-5b20-7d41-9e6b-759b6ffea819",
         *       "endpoint": "https://hooks.example.com/dodeca",
         *       "event_filter": {
         *         "types": [
         *           "type"
         *         ],
         *         "aggregate_ids": [
         *           "019c8f3a-5b20-7d41-9e6b-a66c3ac6d454"
         *         ]
         *       },
         *       "state": "state",
         *       "secret_version": 1,
         *       "api_version": "api version",
         *       "ordering": "ordering",
         *       "max_in_flight": 1,
         *       "rate_per_second": 1,
         *       "description": "description",
         *       "paused_reason": "paused reason",
         *       "disabled_reason": "disabled reason",
         *       "disabled_at": "2026-03-02T09:30:00.000Z",
         *       "verification": {
         *         "mode": "mode",
         *         "expires_at": "2026-03-02T10:15:00.000Z"
         *       },
         *       "created_at": "2026-03-02T09:30:00.000Z",
         *       "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
         *     }
         */
        NewWebhookSubscription: {
            id: components["schemas"]["Id"];
            tenant_id: components["schemas"]["Id"];
            /** @description The public `https` address that receives events. */
            endpoint: string;
            /** @description Which events are sent. */
            event_filter: {
                /** @description Types of events, or patterns such as `job.*`. */
                types: string[];
                aggregate_ids?: components["schemas"]["Id"][];
            };
            state: string;
            secret_version: number;
            api_version: string;
            /** @description Whether events of one aggregate wait for each other. */
            ordering: string;
            max_in_flight: number;
            rate_per_second: number | null;
            description: string | null;
            paused_reason: string | null;
            disabled_reason: string | null;
            disabled_at: components["schemas"]["Time"] | null;
            verification: {
                mode: string;
                expires_at: components["schemas"]["Time"] | null;
            };
            created_at: components["schemas"]["Time"];
            /** @description Signs each request; shown only here. */
            secret?: string;
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "tenant_id": "019c8f3a-5b20-7d41-9e6b-759b6ffea819",
         *       "endpoint": "https://hooks.example.com/dodeca",
         *       "event_filter": {
         *         "types": [
         *           "type"
         *         ],
         *         "aggregate_ids": [
         *           "019c8f3a-5b20-7d41-9e6b-a66c3ac6d454"
         *         ]
         *       },
         *       "state": "state",
         *       "secret_version": 1,
         *       "api_version": "api version",
         *       "ordering": "ordering",
         *       "max_in_flight": 1,
         *       "rate_per_second": 1,
         *       "description": "description",
         *       "paused_reason": "paused reason",
         *       "disabled_reason": "disabled reason",
         *       "disabled_at": "2026-03-02T09:30:00.000Z",
         *       "verification": {
         *         "mode": "mode",
         *         "expires_at": "2026-03-02T10:15:00.000Z"
         *       },
         *       "created_at": "2026-03-02T09:30:00.000Z",
         *       "health": {
         *         "breaker": "breaker",
         *         "open_until": "2026-03-02T10:15:00.000Z",
         *         "not_before": "2026-03-02T09:30:00.000Z",
         *         "in_flight": 1,
         *         "pending": 1,
         *         "oldest_pending_at": "2026-03-02T10:15:00.000Z",
         *         "consecutive_failures": 1,
         *         "last_success_at": "2026-03-02T10:15:00.000Z",
         *         "p50_ms": 1,
         *         "p95_ms": 1,
         *         "bulkhead": "bulkhead"
         *       }
         *     }
         */
        WebhookSubscriptionWithHealth: {
            id: components["schemas"]["Id"];
            tenant_id: components["schemas"]["Id"];
            /** @description The public `https` address that receives events. */
            endpoint: string;
            /** @description Which events are sent. */
            event_filter: {
                /** @description Types of events, or patterns such as `job.*`. */
                types: string[];
                aggregate_ids?: components["schemas"]["Id"][];
            };
            state: string;
            secret_version: number;
            api_version: string;
            /** @description Whether events of one aggregate wait for each other. */
            ordering: string;
            max_in_flight: number;
            rate_per_second: number | null;
            description: string | null;
            paused_reason: string | null;
            disabled_reason: string | null;
            disabled_at: components["schemas"]["Time"] | null;
            verification: {
                mode: string;
                expires_at: components["schemas"]["Time"] | null;
            };
            created_at: components["schemas"]["Time"];
            health: {
                breaker: string;
                open_until: components["schemas"]["Time"] | null;
                not_before: components["schemas"]["Time"] | null;
                in_flight: number;
                pending: number;
                oldest_pending_at: components["schemas"]["Time"] | null;
                consecutive_failures: number;
                last_success_at: components["schemas"]["Time"] | null;
                p50_ms: number | null;
                p95_ms: number | null;
                bulkhead: string;
            };
        };
        /**
         * @example {
         *       "data": [
         *         {
         *           "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *           "tenant_id": "019c8f3a-5b20-7d41-9e6b-759b6ffea819",
         *           "endpoint": "https://hooks.example.com/dodeca",
         *           "event_filter": {
         *             "types": [
         *               "type"
         *             ],
         *             "aggregate_ids": [
         *               "019c8f3a-5b20-7d41-9e6b-a66c3ac6d454"
         *             ]
         *           },
         *           "state": "state",
         *           "secret_version": 1,
         *           "api_version": "api version",
         *           "ordering": "ordering",
         *           "max_in_flight": 1,
         *           "rate_per_second": 1,
         *           "description": "description",
         *           "paused_reason": "paused reason",
         *           "disabled_reason": "disabled reason",
         *           "disabled_at": "2026-03-02T09:30:00.000Z",
         *           "verification": {
         *             "mode": "mode",
         *             "expires_at": "2026-03-02T10:15:00.000Z"
         *           },
         *           "created_at": "2026-03-02T09:30:00.000Z",
         *           "health": {
         *             "breaker": "breaker",
         *             "open_until": "2026-03-02T10:15:00.000Z",
         *             "not_before": "2026-03-02T09:30:00.000Z",
         *             "in_flight": 1,
         *             "pending": 1,
         *             "oldest_pending_at": "2026-03-02T10:15:00.000Z",
         *             "consecutive_failures": 1,
         *             "last_success_at": "2026-03-02T10:15:00.000Z",
         *             "p50_ms": 1,
         *             "p95_ms": 1,
         *             "bulkhead": "bulkhead"
         *           }
         *         }
         *       ],
         *       "next_cursor": "c1.eyJhIjoxfQ",
         *       "has_more": true
         *     }
         */
        WebhookSubscriptionWithHealthPage: {
            /** @description The items of this page. */
            data: components["schemas"]["WebhookSubscriptionWithHealth"][];
            /** @description Send it as `cursor` to get the next page; null on the last one. */
            next_cursor: components["schemas"]["Cursor"] | null;
            /** @description Whether a next page exists. */
            has_more: boolean;
        };
        /**
         * @example {
         *       "endpoint": "https://hooks.example.com/dodeca",
         *       "event_filter": {
         *         "types": [
         *           "type"
         *         ],
         *         "aggregate_ids": [
         *           "019c8f3a-5b20-7d41-9e6b-a66c3ac6d454"
         *         ]
         *       },
         *       "api_version": "api version",
         *       "description": "description",
         *       "ordering": "none",
         *       "max_in_flight": 1,
         *       "rate_per_second": 1,
         *       "state": "active"
         *     }
         */
        UpdateWebhookSubscriptionBody: {
            /** @description The public `https` address that receives events. */
            endpoint?: string;
            /** @description Which events are sent. */
            event_filter?: {
                /** @description Types of events, or patterns such as `job.*`. */
                types: string[];
                aggregate_ids?: components["schemas"]["Id"][];
            };
            api_version?: string;
            description?: string | null;
            /** @description Whether events of one aggregate wait for each other. */
            ordering?: "none" | "aggregate";
            max_in_flight?: number;
            rate_per_second?: number | null;
            state?: "active" | "paused";
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "tenant_id": "019c8f3a-5b20-7d41-9e6b-759b6ffea819",
         *       "endpoint": "https://hooks.example.com/dodeca",
         *       "event_filter": {
         *         "types": [
         *           "type"
         *         ],
         *         "aggregate_ids": [
         *           "019c8f3a-5b20-7d41-9e6b-a66c3ac6d454"
         *         ]
         *       },
         *       "state": "state",
         *       "secret_version": 1,
         *       "api_version": "api version",
         *       "ordering": "ordering",
         *       "max_in_flight": 1,
         *       "rate_per_second": 1,
         *       "description": "description",
         *       "paused_reason": "paused reason",
         *       "disabled_reason": "disabled reason",
         *       "disabled_at": "2026-03-02T09:30:00.000Z",
         *       "verification": {
         *         "mode": "mode",
         *         "expires_at": "2026-03-02T10:15:00.000Z"
         *       },
         *       "created_at": "2026-03-02T09:30:00.000Z"
         *     }
         */
        WebhookSubscription: {
            id: components["schemas"]["Id"];
            tenant_id: components["schemas"]["Id"];
            /** @description The public `https` address that receives events. */
            endpoint: string;
            /** @description Which events are sent. */
            event_filter: {
                /** @description Types of events, or patterns such as `job.*`. */
                types: string[];
                aggregate_ids?: components["schemas"]["Id"][];
            };
            state: string;
            secret_version: number;
            api_version: string;
            /** @description Whether events of one aggregate wait for each other. */
            ordering: string;
            max_in_flight: number;
            rate_per_second: number | null;
            description: string | null;
            paused_reason: string | null;
            disabled_reason: string | null;
            disabled_at: components["schemas"]["Time"] | null;
            verification: {
                mode: string;
                expires_at: components["schemas"]["Time"] | null;
            };
            created_at: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "since": "2026-03-02T09:30:00.000Z",
         *       "until": "2026-03-02T10:15:00.000Z",
         *       "only": "failed",
         *       "types": [
         *         "type"
         *       ],
         *       "reason": "Requested by the customer."
         *     }
         */
        ReplayWebhookSubscriptionBody: {
            /** @description The beginning of the span, inclusive. */
            since: components["schemas"]["Time"];
            /** @description The end of the span, exclusive. */
            until?: components["schemas"]["Time"];
            /** @enum {string} */
            only: "failed" | "missed" | "all";
            /** @description Types of events, or patterns such as `job.*`. */
            types?: string[];
            /** @description The reason that the caller gave. It is kept in the audit log. */
            reason: string;
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "job_id": "019c8f3a-5b20-7d41-9e6b-abe99299867c",
         *       "status": "queued",
         *       "replay_id": "019c8f3a-5b20-7d41-9e6b-bb653e8a40cd"
         *     }
         */
        ReplayWebhookSubscriptionReply: {
            id: components["schemas"]["Id"];
            job_id: components["schemas"]["Id"];
            /** @constant */
            status: "queued";
            replay_id: components["schemas"]["Id"];
        };
        /**
         * @example {
         *       "overlap_seconds": 1
         *     }
         */
        RotateWebhookSecretBody: {
            overlap_seconds?: number;
        };
        /**
         * @example {
         *       "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
         *       "secret_version": 1,
         *       "previous_valid_until": "2026-03-02T10:15:00.000Z"
         *     }
         */
        RotateWebhookSecretReply: {
            /** @description Signs each request; shown only here. */
            secret: string;
            secret_version: number;
            previous_valid_until: components["schemas"]["Time"] | null;
        };
        /**
         * @example {
         *       "data": {},
         *       "aggregate_id": "019c8f3a-5b20-7d41-9e6b-a66c3ac6d454",
         *       "aggregate_version": 1
         *     }
         */
        TestWebhookSubscriptionBody: {
            /** @description The items of this page. */
            data?: unknown;
            aggregate_id?: components["schemas"]["Id"];
            aggregate_version?: components["schemas"]["Version"];
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "status": "status",
         *       "event_id": "019c8f3a-5b20-7d41-9e6b-57c7c8267db4"
         *     }
         */
        TestWebhookSubscriptionReply: {
            id: components["schemas"]["Id"];
            status: string;
            event_id: components["schemas"]["Id"];
        };
        /**
         * @example {
         *       "challenge": "challenge"
         *     }
         */
        VerifyWebhookSubscriptionBody: {
            challenge?: string;
        };
        /**
         * @example {
         *       "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *       "state": "state"
         *     }
         */
        VerifyWebhookSubscriptionReply: {
            id: components["schemas"]["Id"];
            state: string;
        };
        /**
         * @example {
         *       "queue": "default",
         *       "capabilities": [
         *         {
         *           "type": "demo.count",
         *           "versions": [
         *             1
         *           ]
         *         }
         *       ]
         *     }
         */
        RegisterWorker: {
            /** @description Workers claim from one queue. */
            queue?: string;
            capabilities: {
                /** @description The name of the job type. */
                type: string;
                versions: number[];
            }[];
        };
        /**
         * @example {
         *       "worker_id": "019c8f3a-5b20-7d41-9e6b-33d1ed215cbc",
         *       "queue": "default",
         *       "all_tenants": false,
         *       "capabilities": [
         *         {
         *           "type": "demo.count",
         *           "versions": [
         *             1
         *           ]
         *         }
         *       ],
         *       "last_seen_at": "2026-03-02T10:15:00.000Z"
         *     }
         */
        JobWorker: {
            worker_id: components["schemas"]["Id"];
            /** @description Workers claim from one queue. */
            queue: string;
            all_tenants: boolean;
            capabilities: {
                /** @description The name of the job type. */
                type: string;
                versions: number[];
            }[];
            last_seen_at: components["schemas"]["Time"];
        };
        /**
         * @example {
         *       "claim_id": "019c8f3a-5b20-7d41-9e6b-28f7247f6ea5",
         *       "max_jobs": 10,
         *       "wait_seconds": 20
         *     }
         */
        ClaimJobs: {
            claim_id: components["schemas"]["Id"];
            /** @description The most jobs that one claim returns. */
            max_jobs: number;
            /** @description How long to wait where nothing is due. */
            wait_seconds?: number;
        };
        /**
         * @example {
         *       "jobs": [
         *         {
         *           "job": {
         *             "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *             "tenant_id": "019c8f3a-5b20-7d41-9e6b-759b6ffea819",
         *             "type": "demo.count",
         *             "schema_version": 1,
         *             "state": "pending",
         *             "status": "queued",
         *             "priority": 1,
         *             "input_ref": "019c8f3a-5b20-7d41-9e6b-fecb447643f6",
         *             "result_ref": "019c8f3a-5b20-7d41-9e6b-103b1e5f6122",
         *             "idempotency_key": "idempotency key",
         *             "scheduled_at": "2026-03-02T09:30:00.000Z",
         *             "deadline_at": "2026-03-02T10:15:00.000Z",
         *             "cancel_requested_at": "2026-03-02T09:30:00.000Z",
         *             "created_at": "2026-03-02T09:30:00.000Z",
         *             "completed_at": "2026-03-02T09:30:00.000Z",
         *             "version": 1,
         *             "attempt_count": 1,
         *             "max_attempts": 5,
         *             "waiting_reason": "dependencies",
         *             "next_attempt_at": "2026-03-02T10:15:00.000Z",
         *             "progress": {
         *               "sequence": 1,
         *               "stage": "counting",
         *               "current": 4,
         *               "total": 10,
         *               "message_code": "message code",
         *               "recorded_at": "2026-03-02T09:30:00.000Z"
         *             },
         *             "error": {
         *               "code": "code",
         *               "retryable": true,
         *               "cause_job_id": "019c8f3a-5b20-7d41-9e6b-a026d6e1fa30"
         *             },
         *             "usage": {},
         *             "depends_on": [
         *               {
         *                 "job_id": "019c8f3a-5b20-7d41-9e6b-abe99299867c",
         *                 "required_state": "succeeded",
         *                 "satisfied": false
         *               }
         *             ],
         *             "retry_of_job_id": "019c8f3a-5b20-7d41-9e6b-0b9acffaf1a1"
         *           },
         *           "parameters": {
         *             "to": 10
         *           },
         *           "input_url": "input url",
         *           "attempt": {
         *             "id": "019c8f3a-5b20-7d41-9e6b-a56145270ce6",
         *             "attempt_no": 1,
         *             "lease_token": "lt_9fK2mQ4x",
         *             "leased_until": "2026-03-02T10:15:00.000Z",
         *             "started_at": "2026-03-02T09:30:00.000Z"
         *           },
         *           "version": 1,
         *           "checkpoint": {
         *             "done": 400
         *           },
         *           "traceparent": "traceparent"
         *         }
         *       ]
         *     }
         */
        ClaimedJobs: {
            jobs: {
                job: components["schemas"]["Job"];
                /** @description What the job works on; it fits the schema of the type. */
                parameters?: unknown;
                /** @description Where the worker fetches the file, for an hour; absent if the owner of the job may not read it any more. */
                input_url?: string;
                attempt: {
                    id: components["schemas"]["Id"];
                    attempt_no: number;
                    /** @description Proves that the worker holds the attempt; each claim has a new one. */
                    lease_token: string;
                    leased_until: components["schemas"]["Time"];
                    started_at: components["schemas"]["Time"];
                };
                version: number;
                /** @description What the next attempt needs to go on; opaque to the platform. */
                checkpoint: unknown;
                traceparent: string | null;
            }[];
        };
        /**
         * @example {
         *       "leases": [
         *         {
         *           "attempt_id": "019c8f3a-5b20-7d41-9e6b-27d2dbbb721a",
         *           "lease_token": "lt_9fK2mQ4x"
         *         }
         *       ]
         *     }
         */
        Heartbeats: {
            leases: {
                attempt_id: components["schemas"]["Id"];
                /** @description Proves that the worker holds the attempt; each claim has a new one. */
                lease_token: string;
            }[];
        };
        /**
         * @example {
         *       "leases": [
         *         {
         *           "attempt_id": "019c8f3a-5b20-7d41-9e6b-27d2dbbb721a",
         *           "lost": true,
         *           "leased_until": "2026-03-02T10:15:00.000Z",
         *           "version": 1,
         *           "cancel_requested": false,
         *           "deadline_at": "2026-03-02T10:15:00.000Z"
         *         }
         *       ]
         *     }
         */
        RenewedLeases: {
            leases: {
                attempt_id: components["schemas"]["Id"];
                /** @constant */
                lost?: true;
                leased_until?: components["schemas"]["Time"];
                version?: number;
                cancel_requested?: boolean;
                /** @description After this time the job expires instead of starting. */
                deadline_at?: components["schemas"]["Time"] | null;
            }[];
        };
        /**
         * @example {
         *       "short_url": "http://127.0.0.1:8080/spring-sale",
         *       "destination_url": "https://example.com/spring?utm_source=mail",
         *       "created_at": "2026-03-02T09:30:00.000Z",
         *       "safety_state": "safety state"
         *     }
         */
        LinkPreview: {
            /** @description The whole short address. */
            short_url: string;
            /** @description Where the link leads. */
            destination_url: string;
            created_at: components["schemas"]["Time"];
            /** @description What the checks of the destination found. */
            safety_state: string;
        };
    };
    responses: {
        /** @description `malformed_request` */
        BadRequest: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `authentication_required`, `invalid_token` */
        Unauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `mfa_enrollment_required`, `permission_denied`, `step_up_required` */
        Forbidden: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `conversation_not_found` */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `request_timeout` */
        RequestTimeout: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `idempotency_in_progress`, `idempotency_key_reused`, `invalid_transition` */
        Conflict: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `precondition_failed` */
        PreconditionFailed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `range_not_satisfiable` */
        RangeNotSatisfiable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `invalid_character`, `validation_failed` */
        UnprocessableContent: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `rate_limited` */
        TooManyRequests: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `overloaded` */
        ServiceUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Any operation may refuse with `not_acceptable`, `content_too_large`, `unsupported_media_type`, `rate_limited`, `internal_error`, `overloaded`. */
        AnyRefusal: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request succeeded, and there is no content. */
        Done: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content?: never;
        };
    };
    parameters: {
        /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
        IdempotencyKey: string;
        /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
        OptionalIdempotencyKey: string;
        /** @description The ETag of the expected version; 412 where it is not the current one. */
        IfMatch: string;
    };
    requestBodies: never;
    headers: {
        /** @description The id of this request. Name it when you report a problem. */
        "X-Request-Id": components["schemas"]["Id"];
        /** @description The remaining budget: `r` requests; the limit is full again in `t` seconds. */
        RateLimit: string;
        /** @description The limit: `q` requests in `w` seconds. */
        "RateLimit-Policy": string;
        /** @description Seconds to wait before the same request is sent again. */
        "Retry-After": number;
        /** @description `true` where the outcome is that of an earlier request with the same key. */
        "Idempotent-Replayed": string;
        /** @description JSON Pointers of members that the request had and the schema does not know. */
        "X-Ignored-Fields": string;
        /** @description The version of the resource; send it as `If-Match` with a change. */
        ETag: string;
        /** @description The address of the resource. */
        Location: string;
        /** @description The address of the next page, with `rel="next"`. */
        Link: string;
        /** @description How to authenticate. */
        "WWW-Authenticate": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getRoot: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetRootReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getJwks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Jwks"];
                };
            };
            400: components["responses"]["BadRequest"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    downloadFile: {
        parameters: {
            query?: {
                /** @description When the signature ends, in seconds since 1970. */
                exp?: string;
                /** @description Which key signed the URL. */
                kid?: string;
                /** @description The signature of the URL. */
                sig?: string;
                /** @description Whether a browser shows the file or saves it. */
                disposition?: "attachment" | "inline";
            };
            header?: never;
            path: {
                /** @description The file that a completed upload became. */
                file_id: components["schemas"]["Id"];
                /** @description The original, or one of its derivatives. */
                variant: "original" | "thumbnail" | "preview" | "sanitized";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                    "image/webp": string;
                    "text/plain": string;
                    "*/*": string;
                };
            };
            /** @description A part of the content. */
            206: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                    "image/webp": string;
                    "text/plain": string;
                    "*/*": string;
                };
            };
            /** @description Not modified since the version in `If-None-Match`. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Temporarily at `Location`; repeat the same method there. */
            307: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            /** @description `signed_url_expired`, `signed_url_invalid` */
            403: components["responses"]["Forbidden"];
            /** @description `file_not_found` */
            404: components["responses"]["NotFound"];
            416: components["responses"]["RangeNotSatisfiable"];
            422: components["responses"]["UnprocessableContent"];
            /** @description `overloaded`, `storage_unavailable` */
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    downloadJobResult: {
        parameters: {
            query?: {
                exp?: string;
                kid?: string;
                sig?: string;
            };
            header?: never;
            path: {
                result_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                    "application/json": string;
                    "text/plain": string;
                    "text/csv": string;
                    "*/*": string;
                };
            };
            400: components["responses"]["BadRequest"];
            /** @description `signed_url_expired`, `signed_url_invalid` */
            403: components["responses"]["Forbidden"];
            /** @description `result_not_found` */
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    sendUploadPart: {
        parameters: {
            query?: {
                /** @description When the signature ends, in seconds since 1970. */
                exp?: string;
                /** @description Which key signed the URL. */
                kid?: string;
                /** @description The signature of the URL. */
                sig?: string;
            };
            header?: never;
            path: {
                /** @description The upload. */
                upload_id: components["schemas"]["Id"];
                /** @description The number of the part, from 1. */
                part_number: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "*/*": string;
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `content_length_required`, `invalid_header`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            /** @description `signed_url_expired`, `signed_url_invalid` */
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            /** @description `invalid_transition` */
            409: components["responses"]["Conflict"];
            /** @description `invalid_character`, `part_checksum_mismatch`, `part_size_mismatch`, `type_not_allowed`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            /** @description `capacity_exceeded`, `overloaded`, `storage_full` */
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetHealthReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["BadRequest"];
            /** @description `not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getOpenApiDocument: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string;
                };
            };
            400: components["responses"]["BadRequest"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listProblems: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProblemCodePage"];
                    "text/html": string;
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getProblem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProblemCode"];
                    "text/html": string;
                };
            };
            400: components["responses"]["BadRequest"];
            /** @description `not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            400: components["responses"]["BadRequest"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            /** @description Done. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            default: components["responses"]["AnyRefusal"];
        };
    };
    listAccounts: {
        parameters: {
            query?: {
                status?: "invited" | "active" | "disabled";
                /** @description The mail address, as the person wrote it. */
                email?: string;
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    registerAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegisterAccountBody"];
            };
        };
        responses: {
            /** @description The request was accepted; its work continues. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location: components["headers"]["Location"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Registered"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            /** @description `signup_closed` */
            403: components["responses"]["Forbidden"];
            /** @description `tenant_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character`, `password_rejected`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountWithRoles"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `account_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    eraseAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Done"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `permission_denied`, `step_up_required` */
            403: components["responses"]["Forbidden"];
            /** @description `account_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `last_operator` */
            409: components["responses"]["Conflict"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    updateAccount: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the expected version; 412 where it is not the current one. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                account_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateAccountBody"];
                "application/merge-patch+json": components["schemas"]["UpdateAccountBody"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            /** @description `invalid_header`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `account_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_transition`, `last_operator` */
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    assignRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account_id: components["schemas"]["Id"];
                /** @description The name of the role. */
                role_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["AssignRoleBody"];
            };
        };
        responses: {
            /** @description The request succeeded, and there is no content. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `account_not_found`, `role_not_found`, `tenant_not_found` */
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    removeRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account_id: components["schemas"]["Id"];
                /** @description The name of the role. */
                role_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RemoveRoleBody"];
            };
        };
        responses: {
            /** @description The request succeeded, and there is no content. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `account_not_found`, `role_not_found`, `tenant_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `last_operator` */
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listAccountSessions: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path: {
                account_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `permission_denied` */
            403: components["responses"]["Forbidden"];
            /** @description `account_not_found` */
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    endAccountSessions: {
        parameters: {
            query?: {
                except_current?: boolean;
            };
            header?: never;
            path: {
                account_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Done"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `permission_denied` */
            403: components["responses"]["Forbidden"];
            /** @description `account_not_found` */
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                account_id?: components["schemas"]["Id"];
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `permission_denied` */
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateApiKeyBody"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewApiKey"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `permission_denied` */
            403: components["responses"]["Forbidden"];
            /** @description `invalid_character`, `unknown_permission`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            /** @description `quota_exceeded`, `rate_limited` */
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                api_key_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Done"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `api_key_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    startAttachment: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartAttachment"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartedAttachment"];
                };
            };
            /** @description `idempotency_key_invalid`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `not_a_member`, `permission_denied` */
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description `idempotency_in_progress`, `idempotency_key_reused` */
            409: components["responses"]["Conflict"];
            /** @description `invalid_character`, `type_not_allowed`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            /** @description `quota_exceeded`, `rate_limited` */
            429: components["responses"]["TooManyRequests"];
            /** @description `overloaded`, `storage_full`, `storage_unavailable` */
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listAuditEvents: {
        parameters: {
            query?: {
                actor?: string;
                action?: string;
                target?: string;
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEventPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listCarts: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CartSummaryPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    openCart: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OpenCart"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cart"];
                };
            };
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cart"];
                };
            };
            /** @description `idempotency_key_invalid`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `idempotency_in_progress`, `idempotency_key_reused` */
            409: components["responses"]["Conflict"];
            /** @description `currency_unsupported`, `invalid_character`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            /** @description `quota_exceeded`, `rate_limited` */
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getCart: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                cart_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cart"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `cart_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    changeCart: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the expected version; 412 where it is not the current one. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                cart_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeCart"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cart"];
                };
            };
            /** @description `invalid_header`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `cart_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `cart_not_open` */
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            /** @description `currency_unsupported`, `invalid_character`, `price_unavailable`, `shipping_method_unavailable`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    setCartItem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                cart_id: components["schemas"]["Id"];
                /** @description What is sold and stocked, by the name that the shop gave it. */
                sku: components["schemas"]["Sku"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetCartItem"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cart"];
                };
            };
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cart"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `sku_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `cart_not_open` */
            409: components["responses"]["Conflict"];
            /** @description `cart_line_limit`, `invalid_character`, `quantity_limit`, `validation_failed`, `variant_not_purchasable` */
            422: components["responses"]["UnprocessableContent"];
            /** @description `quota_exceeded`, `rate_limited` */
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    checkOut: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Checkout"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
            /** @description The request was accepted; its work continues. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
            /** @description `idempotency_key_invalid`, `idempotency_key_missing`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `cart_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `cart_not_open`, `idempotency_in_progress`, `idempotency_key_reused`, `insufficient_inventory`, `order_not_confirmed`, `pending_order_limit`, `pricing_changed` */
            409: components["responses"]["Conflict"];
            /** @description `address_required`, `card_data_refused`, `cart_empty`, `discount_not_applicable`, `invalid_character`, `order_total_limit`, `payment_declined`, `price_unavailable`, `quantity_limit`, `shipping_method_unavailable`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            /** @description `overloaded`, `payment_provider_unavailable` */
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    auditCommerce: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommerceAudit"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getCommerceSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommerceSettings"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    putCommerceSettings: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the expected version; 412 where it is not the current one. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutCommerceSettings"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommerceSettings"];
                };
            };
            /** @description `invalid_header`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listConversations: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConversationPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    createConversation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateConversation"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Conversation"];
                };
            };
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Conversation"];
                };
            };
            /** @description `idempotency_key_invalid`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `idempotency_in_progress`, `idempotency_key_reused` */
            409: components["responses"]["Conflict"];
            /** @description `group_too_large`, `invalid_character`, `member_unknown`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            /** @description `quota_exceeded`, `rate_limited` */
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getConversation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Conversation"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    changeConversation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeConversation"];
                "application/merge-patch+json": components["schemas"]["ChangeConversation"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Conversation"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `not_a_member`, `permission_denied` */
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description `invalid_transition` */
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listConversationChanges: {
        parameters: {
            query?: {
                /** @description Messages with a higher sequence, oldest first; for changes, those after this revision. */
                after?: number;
                limit?: number;
            };
            header?: never;
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Changes"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listConversationMembers: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConversationMemberPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    addConversationMembers: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddMembers"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Members"];
                };
            };
            /** @description `idempotency_key_invalid`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `not_a_member`, `permission_denied` */
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description `already_member`, `conversation_closed`, `direct_members_fixed`, `idempotency_in_progress`, `idempotency_key_reused` */
            409: components["responses"]["Conflict"];
            /** @description `group_too_large`, `invalid_character`, `member_unknown`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            /** @description `quota_exceeded`, `rate_limited` */
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    muteConversation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Mute"];
                "application/merge-patch+json": components["schemas"]["Mute"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Conversation"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `not_a_member` */
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    removeConversationMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["Id"];
                user_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Done"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `not_a_member`, `permission_denied` */
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description `direct_members_fixed` */
            409: components["responses"]["Conflict"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    changeConversationMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["Id"];
                user_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeMember"];
                "application/merge-patch+json": components["schemas"]["ChangeMember"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConversationMember"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `not_a_member`, `permission_denied` */
            403: components["responses"]["Forbidden"];
            /** @description `conversation_not_found`, `member_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `direct_members_fixed`, `invalid_transition` */
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listMessages: {
        parameters: {
            query?: {
                /** @description Messages with a lower sequence, newest first. */
                before?: number;
                /** @description Messages with a higher sequence, oldest first; for changes, those after this revision. */
                after?: number;
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                limit?: number;
            };
            header?: never;
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["History"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    sendMessage: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendMessage"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description `idempotency_key_invalid`, `idempotency_key_missing`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `message_not_allowed`, `not_a_member` */
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description `conversation_closed`, `idempotency_in_progress`, `idempotency_key_reused` */
            409: components["responses"]["Conflict"];
            /** @description `attachment_not_ready`, `invalid_character`, `reply_target_unknown`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    deleteMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["Id"];
                message_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Done"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `conversation_not_found`, `message_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    editMessage: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the expected version; 412 where it is not the current one. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["schemas"]["Id"];
                message_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EditMessage"];
                "application/merge-patch+json": components["schemas"]["EditMessage"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description `invalid_header`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `not_a_member`, `permission_denied` */
            403: components["responses"]["Forbidden"];
            /** @description `conversation_not_found`, `message_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `conversation_closed`, `edit_window_closed`, `message_deleted`, `too_many_edits` */
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listMessageVersions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["Id"];
                message_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageVersions"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `conversation_not_found`, `message_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    markConversationRead: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MarkRead"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadState"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            /** @description `invalid_character`, `sequence_out_of_range`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listDeprecations: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeprecationPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listDevices: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Devices"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    putDevice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The device for which the socket is opened. */
                device_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutDevice"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Device"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    removeDevice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The device for which the socket is opened. */
                device_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Done"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `device_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getDiscounts: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DiscountPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getDiscountsByCode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The word that buyers enter. */
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Discount"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `discount_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    putDiscountsByCode: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the expected version; 412 where it is not the current one. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The word that buyers enter. */
                code: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutDiscount"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Discount"];
                };
            };
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Discount"];
                };
            };
            /** @description `invalid_header`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listDisputes: {
        parameters: {
            query?: {
                /** @description The state. */
                state?: "warning" | "needs_response" | "under_review" | "won" | "lost" | "closed";
                /** @description The payment. */
                intent_id?: components["schemas"]["Id"];
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DisputePage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getDispute: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dispute"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `dispute_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listDomains: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    claimDomain: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClaimDomain"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location: components["headers"]["Location"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewDomain"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `domain_exists`, `domain_in_use` */
            409: components["responses"]["Conflict"];
            /** @description `destination_not_allowed`, `hostname_invalid`, `invalid_character`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            /** @description `quota_exceeded`, `rate_limited` */
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                domain_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Domain"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `domain_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    removeDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                domain_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Done"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `domain_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    renewDomainToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                domain_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewDomain"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `domain_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    verifyDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                domain_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Domain"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `domain_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `domain_in_use`, `domain_verification_failed` */
            409: components["responses"]["Conflict"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    requestEmailChange: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RequestEmailChangeBody"];
            };
        };
        responses: {
            /** @description The request was accepted; its work continues. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location: components["headers"]["Location"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdentityAccepted"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            /** @description `authentication_required`, `invalid_credentials`, `invalid_token` */
            401: components["responses"]["Unauthorized"];
            /** @description `account_not_found` */
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getEmailChange: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdentityProgress"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `email_change_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    requestEmailVerification: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RequestEmailVerificationBody"];
            };
        };
        responses: {
            /** @description The request was accepted; its work continues. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location: components["headers"]["Location"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdentityAccepted"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getEmailVerificationRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdentityProgress"];
                };
            };
            400: components["responses"]["BadRequest"];
            /** @description `request_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    verifyEmail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VerifyEmailBody"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AddressVerified"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            /** @description `invalid_character`, `one_time_token_invalid`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listEventConsumers: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventConsumerPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listEventParks: {
        parameters: {
            query?: {
                consumer?: string;
                state?: "waiting" | "dead" | "skipped" | "resolved";
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventParkPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    retryEventPark: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ParkDecision"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventPark"];
                };
            };
            /** @description `idempotency_key_invalid`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `event_park_not_found` */
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    skipEventPark: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ParkDecision"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventPark"];
                };
            };
            /** @description `idempotency_key_invalid`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `event_park_not_found` */
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listFiles: {
        parameters: {
            query?: {
                /** @description What the file is for; it decides sizes, types, derivatives and readers. */
                purpose?: "avatar" | "product_media" | "post_media" | "chat_attachment" | "document_ingest" | "job_input" | "generic";
                /** @description Where it stands; only `available` is safe to read. */
                state?: "uploaded" | "available" | "quarantined" | "deleted" | "purged";
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FilePage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getFileDownloadUrls: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AskDownloadUrls"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DownloadUrls"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The file that a completed upload became. */
                file_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["File"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `file_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    deleteFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The file that a completed upload became. */
                file_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Done"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `file_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getFileDownloadUrl: {
        parameters: {
            query?: {
                /** @description Whether a browser shows the file or saves it. */
                disposition?: "attachment" | "inline";
                /** @description A smaller or cleaned form of an image. */
                derivative?: "thumbnail" | "preview" | "sanitized";
                /** @description How long the URL works, in seconds. */
                expires_in?: number;
            };
            header?: never;
            path: {
                /** @description The file that a completed upload became. */
                file_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DownloadUrl"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `derivative_not_found`, `file_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `file_not_available` */
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    rescanFile: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path: {
                /** @description The file that a completed upload became. */
                file_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was accepted; its work continues. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rescan"];
                };
            };
            /** @description `idempotency_key_invalid`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `file_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `idempotency_in_progress`, `idempotency_key_reused` */
            409: components["responses"]["Conflict"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listInboundReceipts: {
        parameters: {
            query?: {
                /** @description The provider that signs the messages. */
                provider?: string;
                provider_account?: string;
                processing_state?: "received" | "processing" | "processed" | "ignored" | "failed" | "dead";
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListInboundReceiptsReply"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getInboundReceipt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetInboundReceiptReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `inbound_receipt_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getInboundPayload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetInboundPayloadReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `inbound_receipt_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `payload_purged` */
            409: components["responses"]["Conflict"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    reprocessInboundReceipt: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReprocessInboundReceiptBody"];
            };
        };
        responses: {
            /** @description The request was accepted; its work continues. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReprocessInboundReceiptReply"];
                };
            };
            /** @description `idempotency_key_invalid`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `inbound_receipt_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `idempotency_in_progress`, `idempotency_key_reused`, `invalid_transition`, `payload_purged` */
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getInboundSource: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The provider that signs the messages. */
                provider: string;
                account_ref: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetInboundSourceReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `inbound_source_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    putInboundSource: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the expected version; 412 where it is not the current one. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The provider that signs the messages. */
                provider: string;
                account_ref: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutInboundSourceBody"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PutInboundSourceReply"];
                };
            };
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PutInboundSourceReply"];
                };
            };
            /** @description `invalid_header`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `already_exists` */
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    deleteInboundSource: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The provider that signs the messages. */
                provider: string;
                account_ref: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Done"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `inbound_source_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    receiveInboundWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The provider that signs the messages. */
                provider: string;
                account_ref: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "*/*": string;
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                    "text/plain": string;
                    "text/xml": string;
                    "*/*": string;
                };
            };
            /** @description The request was accepted; its work continues. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            204: components["responses"]["Done"];
            /** @description `envelope_invalid`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            /** @description `signature_invalid`, `timestamp_out_of_window` */
            401: components["responses"]["Unauthorized"];
            /** @description `inbound_source_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            /** @description `overloaded`, `service_unavailable` */
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listInbox: {
        parameters: {
            query?: {
                /** @description Only items that are not read. */
                unread?: boolean;
                archived?: boolean;
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InboxItemPage"];
                    "text/event-stream": string;
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    readAllInboxItems: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ReadAllInboxItemsBody"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadAllInboxItemsReply"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    countUnreadInboxItems: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CountUnreadInboxItemsReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    updateInboxItem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeInboxItem"];
                "application/merge-patch+json": components["schemas"]["ChangeInboxItem"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InboxItem"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `inbox_item_not_found` */
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getInventoryItem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description What is sold and stocked, by the name that the shop gave it. */
                sku: components["schemas"]["Sku"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InventoryItem"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `sku_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    adjustInventory: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description What is sold and stocked, by the name that the shop gave it. */
                sku: components["schemas"]["Sku"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AdjustInventory"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InventoryItem"];
                };
            };
            /** @description `idempotency_key_invalid`, `idempotency_key_missing`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `sku_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `idempotency_in_progress`, `idempotency_key_reused`, `insufficient_inventory` */
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    inviteAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InviteAccountBody"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location: components["headers"]["Location"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `role_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `already_exists` */
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    finalizeJobAttempt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                attempt_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FinalizeAttempt"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `job_attempt_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `attempt_finished`, `lease_lost`, `version_conflict` */
            409: components["responses"]["Conflict"];
            /** @description `invalid_character`, `result_invalid`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    reportJobProgress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                attempt_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReportProgress"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportedProgress"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `job_attempt_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `lease_lost` */
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    storeJobResult: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                attempt_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "*/*": string;
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredResult"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `job_attempt_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `lease_lost` */
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    submitJobBatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubmitJobs"];
            };
        };
        responses: {
            /** @description The request was accepted; its work continues. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubmittedJobs"];
                };
            };
            /** @description `idempotency_key_invalid`, `idempotency_key_missing`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `idempotency_in_progress`, `idempotency_key_reused` */
            409: components["responses"]["Conflict"];
            /** @description `deadline_in_past`, `dependency_cycle`, `dependency_unknown`, `input_not_available`, `invalid_character`, `unknown_job_type`, `unsupported_schema_version`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            /** @description `quota_exceeded`, `rate_limited` */
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    redriveJobs: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RedriveJobs"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RedrivenJobs"];
                };
            };
            /** @description `idempotency_key_invalid`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `idempotency_in_progress`, `idempotency_key_reused` */
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableContent"];
            /** @description `quota_exceeded`, `rate_limited` */
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listJobSchedules: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobSchedulePage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getJobSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobSchedule"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `job_schedule_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    putJobSchedule: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the expected version; 412 where it is not the current one. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutJobSchedule"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobSchedule"];
                };
            };
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    Location: components["headers"]["Location"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobSchedule"];
                };
            };
            /** @description `invalid_header`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            412: components["responses"]["PreconditionFailed"];
            /** @description `invalid_character`, `schedule_invalid`, `unknown_job_type`, `unsupported_schema_version`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            /** @description `quota_exceeded`, `rate_limited` */
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    deleteJobSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Done"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `job_schedule_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listJobStats: {
        parameters: {
            query?: {
                /** @description The name of the job type. */
                type?: string;
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobTypeStatsPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listJobTypes: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobTypePage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getJobType: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the job type. */
                type: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobType"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `job_type_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    registerJobType: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the job type. */
                type: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegisterJobType"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobType"];
                };
            };
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location: components["headers"]["Location"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobType"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `job_type_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `job_type_reserved`, `schema_immutable` */
            409: components["responses"]["Conflict"];
            /** @description `invalid_character`, `schema_invalid`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    pauseJobType: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the job type. */
                type: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PauseJobType"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobTypePause"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `job_type_not_found` */
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    resumeJobType: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the job type. */
                type: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobTypePause"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `job_type_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listJobs: {
        parameters: {
            query?: {
                state?: "pending" | "retryable" | "queued" | "running" | "terminal" | "succeeded" | "failed" | "cancelled" | "expired";
                /** @description The name of the job type. */
                type?: string;
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    submitJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubmitJob"];
            };
        };
        responses: {
            /** @description The request was accepted; its work continues. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description `idempotency_key_invalid`, `idempotency_key_missing`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `idempotency_in_progress`, `idempotency_key_reused` */
            409: components["responses"]["Conflict"];
            /** @description `deadline_in_past`, `dependency_unknown`, `input_not_available`, `invalid_character`, `unknown_job_type`, `unsupported_schema_version`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            /** @description `quota_exceeded`, `rate_limited` */
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `job_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    updateJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the expected version; 412 where it is not the current one. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                job_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeJob"];
                "application/merge-patch+json": components["schemas"]["ChangeJob"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description `invalid_header`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `job_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_transition` */
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listJobAttempts: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path: {
                job_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobAttemptPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `job_not_found` */
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    cancelJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path: {
                job_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CancelJob"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description The request was accepted; its work continues. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description `idempotency_key_invalid`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `permission_denied` */
            403: components["responses"]["Forbidden"];
            /** @description `job_not_found` */
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listJobEvents: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path: {
                job_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobEventPage"];
                    "text/event-stream": string;
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `job_not_found` */
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableContent"];
            /** @description `quota_exceeded`, `rate_limited` */
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getJobResultUrl: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobResultAddress"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `permission_denied` */
            403: components["responses"]["Forbidden"];
            /** @description `job_not_found`, `result_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `result_not_ready` */
            409: components["responses"]["Conflict"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    retryJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path: {
                job_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RetryJob"];
            };
        };
        responses: {
            /** @description The request was accepted; its work continues. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description `idempotency_key_invalid`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `job_not_found` */
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            /** @description `invalid_character`, `unknown_job_type`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            /** @description `quota_exceeded`, `rate_limited` */
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listLedgerAccounts: {
        parameters: {
            query?: {
                /** @description Whose books: your own, or those of the platform (operators only). */
                owner?: "tenant" | "platform";
                type?: string;
                /** @description The currency, by ISO 4217. */
                currency?: string;
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LedgerAccountPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getLedgerAccount: {
        parameters: {
            query?: {
                /** @description The time of which the balance is wanted; absent for now. */
                at?: components["schemas"]["Time"];
            };
            header?: never;
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LedgerAccount"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `ledger_account_not_found` */
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listLedgerTransactions: {
        parameters: {
            query?: {
                /** @description Whose books: your own, or those of the platform (operators only). */
                owner?: "tenant" | "platform";
                /** @description The payment. */
                intent_id?: components["schemas"]["Id"];
                /** @description The operation that this request began; events name it, too. */
                operation_id?: components["schemas"]["Id"];
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LedgerTransactionPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getLedgerTransaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LedgerTransaction"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `ledger_transaction_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listLimits: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LimitPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listBlocklistEntries: {
        parameters: {
            query?: {
                kind?: "host" | "suffix" | "url" | "regex";
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlocklistEntryPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    addBlocklistEntry: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddBlocklistEntry"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewBlocklistEntry"];
                };
            };
            /** @description `idempotency_key_invalid`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `blocklist_entry_exists`, `idempotency_in_progress`, `idempotency_key_reused` */
            409: components["responses"]["Conflict"];
            /** @description `invalid_character`, `pattern_invalid`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            /** @description `quota_exceeded`, `rate_limited` */
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    removeBlocklistEntry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                blocklist_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Done"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `blocklist_entry_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listLinkReports: {
        parameters: {
            query?: {
                state?: "received" | "resolved";
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkReportPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    reportLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReportLink"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportLinkReply"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    rebuildLinkStats: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RebuildLinkStats"];
            };
        };
        responses: {
            /** @description The request was accepted; its work continues. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RebuildLinkStatsReply"];
                };
            };
            /** @description `idempotency_key_invalid`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `domain_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `idempotency_in_progress`, `idempotency_key_reused` */
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listLinks: {
        parameters: {
            query?: {
                state?: "pending_scan" | "active" | "disabled" | "expired" | "deleted";
                domain?: string;
                q?: string;
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `domain_not_found` */
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    createLink: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateLink"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Link"];
                };
            };
            /** @description `idempotency_key_invalid`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `domain_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `alias_taken`, `idempotency_in_progress`, `idempotency_key_reused` */
            409: components["responses"]["Conflict"];
            /** @description `alias_invalid`, `alias_reserved`, `destination_not_allowed`, `domain_not_active`, `expires_at_invalid`, `invalid_character`, `redirect_status_unsafe`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            /** @description `quota_exceeded`, `rate_limited` */
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    createLinks: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateLinks"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateLinksReply"];
                };
            };
            /** @description `idempotency_key_invalid`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `domain_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `alias_taken`, `idempotency_in_progress`, `idempotency_key_reused` */
            409: components["responses"]["Conflict"];
            /** @description `alias_invalid`, `alias_reserved`, `destination_not_allowed`, `domain_not_active`, `expires_at_invalid`, `invalid_character`, `redirect_status_unsafe`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            /** @description `quota_exceeded`, `rate_limited` */
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getLink: {
        parameters: {
            query?: {
                domain?: string;
            };
            header?: never;
            path: {
                /** @description The last part of the short address. */
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Link"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `domain_not_found`, `link_not_found` */
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    deleteLink: {
        parameters: {
            query?: {
                domain?: string;
            };
            header?: {
                /** @description The ETag of the expected version; 412 where it is not the current one. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The last part of the short address. */
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Done"];
            /** @description `invalid_header`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `domain_not_found`, `link_not_found` */
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    updateLink: {
        parameters: {
            query?: {
                domain?: string;
            };
            header?: {
                /** @description The ETag of the expected version; 412 where it is not the current one. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The last part of the short address. */
                code: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PatchLink"];
                "application/merge-patch+json": components["schemas"]["PatchLink"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Link"];
                };
            };
            /** @description `invalid_header`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `domain_not_found`, `link_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_transition`, `link_disabled_by_safety` */
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            /** @description `destination_not_allowed`, `expires_at_invalid`, `invalid_character`, `redirect_status_unsafe`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    moderateLink: {
        parameters: {
            query?: {
                domain?: string;
            };
            header?: never;
            path: {
                /** @description The last part of the short address. */
                code: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ModerateLink"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Link"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `domain_not_found`, `link_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_transition` */
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getLinkQrCode: {
        parameters: {
            query?: {
                domain?: string;
                format?: "svg" | "png";
                size?: number;
                ec?: "L" | "M" | "Q" | "H";
                margin?: number;
            };
            header?: never;
            path: {
                /** @description The last part of the short address. */
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                    "image/png": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `domain_not_found`, `link_not_found` */
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getLinkStats: {
        parameters: {
            query?: {
                domain?: string;
                from?: string;
                to?: string;
                dimensions?: string;
            };
            header?: never;
            path: {
                /** @description The last part of the short address. */
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkStats"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `domain_not_found`, `link_not_found` */
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `account_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    updateMe: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the expected version; 412 where it is not the current one. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateMeBody"];
                "application/merge-patch+json": components["schemas"]["UpdateMeBody"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            /** @description `invalid_header`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `permission_denied` */
            403: components["responses"]["Forbidden"];
            /** @description `account_not_found` */
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    exportMyData: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `step_up_required` */
            403: components["responses"]["Forbidden"];
            /** @description `account_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listExternalIdentities: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExternalIdentityPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    linkExternalIdentity: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LinkExternalIdentityBody"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExternalIdentity"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `external_identity_taken` */
            409: components["responses"]["Conflict"];
            /** @description `invalid_character`, `oidc_ticket_invalid`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    unlinkExternalIdentity: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                external_identity_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Done"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `step_up_required` */
            403: components["responses"]["Forbidden"];
            /** @description `external_identity_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `last_credential` */
            409: components["responses"]["Conflict"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    createMfaChallenge: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateMfaChallengeBody"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location: components["headers"]["Location"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MfaChallenge"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            /** @description `authentication_required`, `invalid_token`, `mfa_challenge_invalid` */
            401: components["responses"]["Unauthorized"];
            /** @description `permission_denied` */
            403: components["responses"]["Forbidden"];
            /** @description `mfa_method_not_found` */
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getMfaChallenge: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                challenge_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MfaChallengeStatus"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `permission_denied` */
            403: components["responses"]["Forbidden"];
            /** @description `mfa_challenge_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    verifyMfaChallenge: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                challenge_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VerifyMfaChallengeBody"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SteppedUp"];
                };
            };
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location: components["headers"]["Location"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionTokens"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            /** @description `authentication_required`, `invalid_token`, `mfa_challenge_invalid`, `mfa_verification_failed` */
            401: components["responses"]["Unauthorized"];
            /** @description `permission_denied` */
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listMfaMethods: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MfaMethodPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `permission_denied` */
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    enrolMfaMethod: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EnrolMfaMethodBody"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MfaEnrolment"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `permission_denied`, `step_up_required` */
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableContent"];
            /** @description `quota_exceeded`, `rate_limited` */
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    removeMfaMethod: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                method_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Done"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `permission_denied`, `step_up_required` */
            403: components["responses"]["Forbidden"];
            /** @description `mfa_method_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    activateMfaMethod: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                method_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ActivateMfaMethodBody"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MfaActivated"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            /** @description `authentication_required`, `invalid_token`, `mfa_verification_failed` */
            401: components["responses"]["Unauthorized"];
            /** @description `permission_denied`, `step_up_required` */
            403: components["responses"]["Forbidden"];
            /** @description `mfa_method_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `already_exists`, `invalid_transition` */
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    replaceRecoveryCodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MfaRecoveryCodes"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `permission_denied`, `step_up_required` */
            403: components["responses"]["Forbidden"];
            /** @description `mfa_method_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listNotificationCategories: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationCategoryPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getNotificationCategory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationCategory"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `category_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    putNotificationCategory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutNotificationCategory"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationCategory"];
                };
            };
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location: components["headers"]["Location"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationCategory"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `category_built_in` */
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getNotificationPushKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetNotificationPushKeyReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listNotificationTemplates: {
        parameters: {
            query?: {
                name?: string;
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListNotificationTemplatesReply"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    createNotificationTemplate: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewNotificationTemplate"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationTemplate"];
                };
            };
            /** @description `idempotency_key_invalid`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `idempotency_in_progress`, `idempotency_key_reused` */
            409: components["responses"]["Conflict"];
            /** @description `invalid_character`, `schema_invalid`, `template_syntax_error`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getNotificationTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationTemplate"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `template_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    archiveNotificationTemplate: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path: {
                name: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationTemplate"];
                };
            };
            /** @description `idempotency_key_invalid`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `template_not_found` */
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    previewNotificationTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PreviewNotificationTemplateBody"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RenderedNotification"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `template_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `channel_without_template`, `invalid_character`, `invalid_timezone`, `template_data_invalid`, `template_render_failed`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    publishNotificationTemplate: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path: {
                name: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationTemplate"];
                };
            };
            /** @description `idempotency_key_invalid`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `template_not_found` */
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listNotifications: {
        parameters: {
            query?: {
                user_id?: components["schemas"]["Id"];
                /** @description The kind of message; preferences and permissions are by category. */
                category?: string;
                /** @description Where it stands. */
                state?: "scheduled" | "queued" | "held" | "processing" | "sent" | "delivered" | "failed" | "suppressed" | "cancelled" | "expired";
                batch_id?: components["schemas"]["Id"];
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    sendNotification: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewNotification"];
            };
        };
        responses: {
            /** @description The request was accepted; its work continues. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Notification"];
                };
            };
            /** @description `idempotency_key_invalid`, `idempotency_key_missing`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `destination_not_found`, `template_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `idempotency_in_progress`, `idempotency_key_reused`, `template_not_published` */
            409: components["responses"]["Conflict"];
            /** @description `channel_without_template`, `expiry_before_schedule`, `invalid_character`, `invalid_destination`, `schedule_out_of_range`, `template_data_invalid`, `unknown_category`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    sendNotificationBatch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "*/*": string;
            };
        };
        responses: {
            /** @description The request was accepted; its work continues. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationBatch"];
                };
            };
            /** @description `idempotency_key_invalid`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `template_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `idempotency_in_progress`, `idempotency_key_reused`, `template_not_published` */
            409: components["responses"]["Conflict"];
            /** @description `batch_line_invalid`, `channel_without_template`, `expiry_before_schedule`, `invalid_character`, `schedule_out_of_range`, `template_data_invalid`, `too_many_recipients`, `unknown_category`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getNotificationBatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationBatch"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `batch_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    cancelNotificationBatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationBatch"];
                };
            };
            /** @description `idempotency_key_invalid`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `batch_not_found` */
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    pauseNotificationBatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationBatch"];
                };
            };
            /** @description `idempotency_key_invalid`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `batch_not_found` */
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    resumeNotificationBatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationBatch"];
                };
            };
            /** @description `idempotency_key_invalid`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `batch_not_found` */
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    explainNotification: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewNotification"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExplainNotificationReply"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `destination_not_found`, `template_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `template_not_published` */
            409: components["responses"]["Conflict"];
            /** @description `channel_without_template`, `expiry_before_schedule`, `invalid_character`, `invalid_destination`, `schedule_out_of_range`, `template_data_invalid`, `unknown_category`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getNotification: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationDetail"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `notification_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    cancelNotification: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CancelNotificationBody"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CancelNotificationReply"];
                };
            };
            /** @description `idempotency_key_invalid`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `notification_not_found` */
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getRenderedNotification: {
        parameters: {
            query: {
                /** @description How the message travels. */
                channel: "email" | "sms" | "push" | "in_app";
            };
            header?: never;
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RenderedNotification"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `inputs_not_found`, `notification_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `channel_without_template`, `invalid_character`, `template_render_failed`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    beginOidcLogin: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                provider: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BeginOidcLoginBody"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OidcAuthorization"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            /** @description `step_up_required` */
            403: components["responses"]["Forbidden"];
            /** @description `oidc_provider_not_found`, `tenant_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character`, `redirect_uri_not_allowed`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    completeOidcLogin: {
        parameters: {
            query: {
                state: string;
                code?: string;
                iss?: string;
                error?: string;
                error_description?: string;
            };
            header?: never;
            path: {
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description See `Location`. */
            303: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            /** @description `oidc_provider_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character`, `oidc_state_invalid`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listOrders: {
        parameters: {
            query?: {
                /** @description Where it is in its life. */
                state?: "pending" | "confirmed" | "fulfilled" | "payment_failed" | "expired" | "cancelled";
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrderSummaryPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getOrder: {
        parameters: {
            query?: {
                include?: "calculation";
            };
            header?: never;
            path: {
                order_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `order_not_found` */
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    cancelOrder: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                order_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CancelOrder"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
            /** @description `idempotency_key_invalid`, `idempotency_key_missing`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `order_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `idempotency_in_progress`, `idempotency_key_reused`, `order_not_cancellable` */
            409: components["responses"]["Conflict"];
            /** @description `card_data_refused`, `invalid_character`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    shipOrder: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                order_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ShipOrder"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShipmentOrStatus"];
                };
            };
            /** @description The request was accepted; its work continues. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShipmentOrStatus"];
                };
            };
            /** @description `idempotency_key_invalid`, `idempotency_key_missing`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `order_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `idempotency_in_progress`, `idempotency_key_reused`, `order_not_shippable`, `payment_not_capturable`, `shipment_quantity_exceeded` */
            409: components["responses"]["Conflict"];
            /** @description `card_data_refused`, `invalid_character`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            /** @description `overloaded`, `payment_provider_unavailable` */
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangePasswordBody"];
            };
        };
        responses: {
            /** @description The request succeeded, and there is no content. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            /** @description `authentication_required`, `invalid_credentials`, `invalid_token` */
            401: components["responses"]["Unauthorized"];
            /** @description `account_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character`, `password_rejected`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    requestPasswordReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RequestPasswordResetBody"];
            };
        };
        responses: {
            /** @description The request was accepted; its work continues. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location: components["headers"]["Location"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdentityAccepted"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getPasswordResetRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdentityProgress"];
                };
            };
            400: components["responses"]["BadRequest"];
            /** @description `request_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    resetPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResetPasswordBody"];
            };
        };
        responses: {
            /** @description The request succeeded, and there is no content. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            /** @description `invalid_character`, `one_time_token_invalid`, `password_rejected`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listPaymentIntents: {
        parameters: {
            query?: {
                /** @description What you call the order that is paid. */
                order_ref?: string;
                /** @description The state. */
                state?: "requires_authorization" | "requires_action" | "authorized" | "captured" | "cancelled";
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentIntentSummaryPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    createPaymentIntent: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreatePaymentIntent"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentIntent"];
                };
            };
            /** @description `idempotency_key_invalid`, `idempotency_key_missing`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `idempotency_in_progress`, `idempotency_key_reused` */
            409: components["responses"]["Conflict"];
            /** @description `amount_ambiguous`, `amount_not_representable`, `amount_precision`, `amount_too_large`, `amount_too_small`, `card_data_refused`, `currency_unknown`, `invalid_character`, `provider_unsupported`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getPaymentIntent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentIntent"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `payment_intent_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    authorizePaymentIntent: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AuthorizePaymentIntent"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentIntent"];
                };
            };
            /** @description The request was accepted; its work continues. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentIntent"];
                };
            };
            /** @description `idempotency_key_invalid`, `idempotency_key_missing`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `payment_intent_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `idempotency_in_progress`, `idempotency_key_reused`, `intent_managed`, `invalid_transition`, `operation_pending`, `payment_refused` */
            409: components["responses"]["Conflict"];
            /** @description `card_data_refused`, `invalid_character`, `payment_declined`, `payment_method_invalid`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            /** @description `overloaded`, `payment_provider_unavailable` */
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    cancelPaymentIntent: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CancelPaymentIntent"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentIntent"];
                };
            };
            /** @description The request was accepted; its work continues. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentIntent"];
                };
            };
            /** @description `idempotency_key_invalid`, `idempotency_key_missing`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `payment_intent_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `idempotency_in_progress`, `idempotency_key_reused`, `intent_managed`, `invalid_transition`, `operation_pending`, `payment_refused` */
            409: components["responses"]["Conflict"];
            /** @description `card_data_refused`, `invalid_character`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            /** @description `overloaded`, `payment_provider_unavailable` */
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    capturePaymentIntent: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CapturePaymentIntent"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentIntent"];
                };
            };
            /** @description The request was accepted; its work continues. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentIntent"];
                };
            };
            /** @description `idempotency_key_invalid`, `idempotency_key_missing`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `payment_intent_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `amount_exceeds_capturable`, `authorization_expired`, `idempotency_in_progress`, `idempotency_key_reused`, `intent_managed`, `invalid_transition`, `operation_pending`, `payment_refused` */
            409: components["responses"]["Conflict"];
            /** @description `amount_not_representable`, `card_data_refused`, `invalid_character`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            /** @description `overloaded`, `payment_provider_unavailable` */
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    addPriceVersion: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddPriceVersion"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PriceVersion"];
                };
            };
            /** @description `idempotency_key_invalid`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `sku_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `idempotency_in_progress`, `idempotency_key_reused`, `price_version_exists` */
            409: components["responses"]["Conflict"];
            /** @description `currency_unsupported`, `effective_from_in_past`, `invalid_character`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listProducts: {
        parameters: {
            query?: {
                /** @description A path, such as `kitchen/mugs`. */
                category?: string;
                /** @description Words to search for; a quoted part is searched as it stands. */
                q?: string;
                /** @description A code of ISO 4217. */
                currency?: string;
                /** @description Where it is in its life. */
                state?: "draft" | "active" | "archived";
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProductSummaryPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            /** @description `permission_denied` */
            403: components["responses"]["Forbidden"];
            /** @description `product_not_found` */
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    createProduct: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateProduct"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Product"];
                };
            };
            /** @description `idempotency_key_invalid`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `handle_taken`, `idempotency_in_progress`, `idempotency_key_reused`, `price_version_exists`, `sku_taken` */
            409: components["responses"]["Conflict"];
            /** @description `currency_unsupported`, `image_not_available`, `invalid_character`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getProduct: {
        parameters: {
            query?: {
                /** @description A code of ISO 4217. */
                currency?: string;
            };
            header?: never;
            path: {
                product_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Product"];
                };
            };
            400: components["responses"]["BadRequest"];
            /** @description `product_not_found` */
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    changeProduct: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the expected version; 412 where it is not the current one. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                product_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeProduct"];
                "application/merge-patch+json": components["schemas"]["ChangeProduct"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Product"];
                };
            };
            /** @description `invalid_header`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `product_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `handle_taken`, `invalid_transition`, `price_version_exists`, `sku_taken` */
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            /** @description `currency_unsupported`, `image_not_available`, `invalid_character`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    receiveProviderWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "*/*": string;
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderMessageReceived"];
                };
            };
            /** @description The request was accepted; its work continues. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            204: components["responses"]["Done"];
            /** @description `envelope_invalid`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            /** @description `signature_invalid`, `timestamp_out_of_window` */
            401: components["responses"]["Unauthorized"];
            /** @description `provider_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getRealtimeToken: {
        parameters: {
            query?: {
                /** @description The device for which the socket is opened. */
                device_id?: components["schemas"]["Id"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RealtimeToken"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listReconciliationItems: {
        parameters: {
            query?: {
                /** @description The state. */
                state?: "open" | "auto_resolved" | "resolved" | "ignored";
                /** @description How the books disagree. */
                discrepancy?: string;
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReconciliationItemPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    resolveReconciliationItem: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResolveReconciliationItem"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReconciliationItem"];
                };
            };
            /** @description `idempotency_key_invalid`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `reconciliation_item_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `already_resolved`, `idempotency_in_progress`, `idempotency_key_reused` */
            409: components["responses"]["Conflict"];
            /** @description `card_data_refused`, `invalid_character`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    createReconciliationRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RequestReconciliation"];
            };
        };
        responses: {
            /** @description The request was accepted; its work continues. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReconciliationRun"];
                };
            };
            /** @description `idempotency_key_invalid`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `idempotency_in_progress`, `idempotency_key_reused` */
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getReconciliationRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReconciliationRun"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `reconciliation_run_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    createRefund: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateRefund"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refund"];
                };
            };
            /** @description The request was accepted; its work continues. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refund"];
                };
            };
            /** @description `idempotency_key_invalid`, `idempotency_key_missing`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `payment_intent_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `balance_insufficient`, `idempotency_in_progress`, `idempotency_key_reused`, `intent_not_captured`, `payment_refused`, `refund_exceeds_captured` */
            409: components["responses"]["Conflict"];
            /** @description `amount_not_representable`, `card_data_refused`, `invalid_character`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            /** @description `overloaded`, `payment_provider_unavailable` */
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getRefund: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refund"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `refund_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getRegistration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdentityProgress"];
                };
            };
            400: components["responses"]["BadRequest"];
            /** @description `registration_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listReturns: {
        parameters: {
            query?: {
                /** @description Where it is in its life. */
                state?: "requested" | "approved" | "rejected" | "cancelled" | "received" | "refund_pending" | "refunded" | "refund_failed";
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReturnPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    requestReturn: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RequestReturn"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Return"];
                };
            };
            /** @description `idempotency_key_invalid`, `idempotency_key_missing`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `order_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `idempotency_in_progress`, `idempotency_key_reused`, `order_not_returnable`, `return_quantity_exceeded` */
            409: components["responses"]["Conflict"];
            /** @description `card_data_refused`, `invalid_character`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getReturn: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                return_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Return"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `return_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    approveReturn: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                return_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ApproveReturn"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Return"];
                };
            };
            /** @description `idempotency_key_invalid`, `idempotency_key_missing`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `return_not_found` */
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            /** @description `invalid_character`, `restocking_fee_exceeds_refund`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    cancelReturn: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                return_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CancelReturnBody"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Return"];
                };
            };
            /** @description `idempotency_key_invalid`, `idempotency_key_missing`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `permission_denied` */
            403: components["responses"]["Forbidden"];
            /** @description `return_not_found` */
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    receiveReturn: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                return_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReceiveReturn"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Return"];
                };
            };
            /** @description `idempotency_key_invalid`, `idempotency_key_missing`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `return_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `idempotency_in_progress`, `idempotency_key_reused`, `invalid_transition`, `return_quantity_exceeded` */
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    rejectReturn: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                return_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RejectReturnBody"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Return"];
                };
            };
            /** @description `idempotency_key_invalid`, `idempotency_key_missing`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `return_not_found` */
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    retryRefund: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                return_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RetryRefundBody"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Return"];
                };
            };
            /** @description `idempotency_key_invalid`, `idempotency_key_missing`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `return_not_found` */
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listRoles: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RolePage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    createRole: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateRoleBody"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Role"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `already_exists` */
            409: components["responses"]["Conflict"];
            /** @description `duty_conflict`, `invalid_character`, `unknown_permission`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            /** @description `quota_exceeded`, `rate_limited` */
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listSecurityEvents: {
        parameters: {
            query?: {
                account_id?: components["schemas"]["Id"];
                action?: string;
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecurityEventPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `permission_denied` */
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listSessions: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    logIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LogInBody"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionTokens"];
                };
            };
            /** @description The request was accepted; its work continues. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MfaRequired"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            /** @description `invalid_credentials` */
            401: components["responses"]["Unauthorized"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getCurrentSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CurrentSession"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `csrf_failed` */
            403: components["responses"]["Forbidden"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Done"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `session_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    refreshSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RefreshSessionBody"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionTokens"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            /** @description `invalid_refresh_token` */
            401: components["responses"]["Unauthorized"];
            /** @description `permission_denied` */
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listSettlements: {
        parameters: {
            query?: {
                /** @description The payout in which it left. */
                payout_id?: string;
                /** @description The payment. */
                intent_id?: components["schemas"]["Id"];
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettlementPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listShipments: {
        parameters: {
            query?: {
                /** @description Where it is in its life. */
                state?: "preparing" | "awaiting_capture" | "shipped" | "delivered" | "lost" | "cancelled";
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShipmentPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    confirmDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path: {
                shipment_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ConfirmDeliveryBody"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Shipment"];
                };
            };
            /** @description `idempotency_key_invalid`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `shipment_not_found` */
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    reportLostShipment: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path: {
                shipment_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ReportLostShipmentBody"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Shipment"];
                };
            };
            /** @description `idempotency_key_invalid`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `shipment_not_found` */
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getShippingMethods: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShippingMethodPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getShippingMethodsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShippingMethod"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `shipping_method_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    putShippingMethodsById: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the expected version; 412 where it is not the current one. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutShippingMethod"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShippingMethod"];
                };
            };
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShippingMethod"];
                };
            };
            /** @description `invalid_header`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    rotateSigningKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RotateSigningKeyBody"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SigningKeyRotated"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listSuppressions: {
        parameters: {
            query?: {
                /** @description How the message travels. */
                channel?: "email" | "sms" | "push";
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuppressionPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    createSuppression: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewSuppression"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Suppression"];
                };
            };
            /** @description `idempotency_key_invalid`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `already_exists`, `idempotency_in_progress`, `idempotency_key_reused` */
            409: components["responses"]["Conflict"];
            /** @description `invalid_character`, `invalid_destination`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    deleteSuppression: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Done"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `suppression_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getTaxRules: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaxRulePage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getTaxRulesById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaxRule"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `tax_rule_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    putTaxRulesById: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the expected version; 412 where it is not the current one. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutTaxRule"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaxRule"];
                };
            };
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaxRule"];
                };
            };
            /** @description `invalid_header`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listTenants: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    createTenant: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateTenantBody"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tenant"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `already_exists` */
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    updateTenant: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the expected version; 412 where it is not the current one. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                tenant_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateTenantBody"];
                "application/merge-patch+json": components["schemas"]["UpdateTenantBody"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tenant"];
                };
            };
            /** @description `invalid_header`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `tenant_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_transition` */
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getUnsubscribePage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The token of the device or of the link. */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["BadRequest"];
            /** @description `token_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    unsubscribe: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The token of the device or of the link. */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "*/*": string;
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["BadRequest"];
            /** @description `token_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    createUpload: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateUpload"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewUpload"];
                };
            };
            /** @description `idempotency_key_invalid`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `permission_denied` */
            403: components["responses"]["Forbidden"];
            /** @description `idempotency_in_progress`, `idempotency_key_reused` */
            409: components["responses"]["Conflict"];
            /** @description `invalid_character`, `type_not_allowed`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            /** @description `quota_exceeded`, `rate_limited` */
            429: components["responses"]["TooManyRequests"];
            /** @description `overloaded`, `storage_full`, `storage_unavailable` */
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The upload. */
                upload_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"];
                };
            };
            /** @description Not modified since the version in `If-None-Match`. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `upload_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            /** @description `overloaded`, `storage_unavailable` */
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    abortUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The upload. */
                upload_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Done"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `upload_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `completion_in_progress`, `invalid_transition` */
            409: components["responses"]["Conflict"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    completeUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The upload. */
                upload_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CompleteUpload"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CompletedUpload"];
                };
            };
            /** @description The request was accepted; its work continues. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location: components["headers"]["Location"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CompletedUpload"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `upload_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `completion_in_progress`, `invalid_transition`, `upload_parts_mismatch` */
            409: components["responses"]["Conflict"];
            /** @description `checksum_mismatch`, `invalid_character`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            /** @description `overloaded`, `storage_full`, `storage_unavailable` */
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    registerUploadParts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The upload. */
                upload_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RegisterParts"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegisteredParts"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `upload_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_transition`, `upload_parts_mismatch` */
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableContent"];
            /** @description `overloaded`, `storage_unavailable` */
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listDestinations: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path: {
                user_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DestinationPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `user_not_found` */
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    createDestination: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path: {
                user_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewDestination"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Destination"];
                };
            };
            /** @description `idempotency_key_invalid`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `user_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `idempotency_in_progress`, `idempotency_key_reused` */
            409: components["responses"]["Conflict"];
            /** @description `invalid_character`, `invalid_destination`, `push_host_not_allowed`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            /** @description `quota_exceeded`, `rate_limited` */
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    deleteDestination: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: components["schemas"]["Id"];
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Done"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `destination_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    verifyDestination: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: components["schemas"]["Id"];
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VerifyDestinationBody"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Destination"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `destination_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `code_invalid`, `invalid_character`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getNotificationPreferences: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationPreferences"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `user_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    putNotificationPreferences: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the expected version; 412 where it is not the current one. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                user_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutNotificationPreferences"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationPreferences"];
                };
            };
            /** @description `invalid_header`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `user_not_found` */
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            /** @description `category_mandatory`, `duplicate_preference`, `invalid_character`, `invalid_quiet_hours`, `invalid_timezone`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                subscription_id?: components["schemas"]["Id"];
                event_id?: components["schemas"]["Id"];
                state?: "pending" | "delivered" | "permanent_failure" | "exhausted" | "cancelled";
                type?: string;
                /** @description The beginning of the span, inclusive. */
                since?: components["schemas"]["Time"];
                /** @description The end of the span, exclusive. */
                until?: components["schemas"]["Time"];
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryInFull"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `delivery_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    replayWebhookDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplayWebhookDeliveryBody"];
            };
        };
        responses: {
            /** @description The request was accepted; its work continues. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayWebhookDeliveryReply"];
                };
            };
            /** @description `idempotency_key_invalid`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `delivery_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `idempotency_in_progress`, `idempotency_key_reused`, `payload_purged`, `subscription_not_active` */
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listWebhookEventTypes: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEventTypePage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listWebhookEvents: {
        parameters: {
            query?: {
                /** @description Types of events, or patterns such as `job.*`. */
                types?: string;
                /** @description The beginning of the span, inclusive. */
                since?: components["schemas"]["Time"];
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListWebhookEventsReply"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `event_type_unknown`, `invalid_character`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getWebhookEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                event_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEventWithDeliveries"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `event_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    listWebhookSubscriptions: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before; absent for the first page. */
                cursor?: components["schemas"]["Cursor"];
                /** @description The most items that the page may hold. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSubscriptionWithHealthPage"];
                };
            };
            /** @description `invalid_cursor`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    createWebhookSubscription: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhookSubscriptionBody"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewWebhookSubscription"];
                };
            };
            /** @description `idempotency_key_invalid`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `subscription_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `idempotency_in_progress`, `idempotency_key_reused` */
            409: components["responses"]["Conflict"];
            /** @description `api_version_unsupported`, `endpoint_not_allowed`, `event_type_unknown`, `invalid_character`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            /** @description `quota_exceeded`, `rate_limited` */
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    getWebhookSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSubscriptionWithHealth"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `subscription_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    deleteWebhookSubscription: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the expected version; 412 where it is not the current one. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Done"];
            /** @description `invalid_header`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `subscription_not_found` */
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    updateWebhookSubscription: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the expected version; 412 where it is not the current one. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateWebhookSubscriptionBody"];
                "application/merge-patch+json": components["schemas"]["UpdateWebhookSubscriptionBody"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSubscription"];
                };
            };
            /** @description `invalid_header`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `subscription_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `cooldown`, `invalid_transition` */
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            /** @description `api_version_unsupported`, `endpoint_not_allowed`, `event_type_unknown`, `invalid_character`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    replayWebhookSubscription: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplayWebhookSubscriptionBody"];
            };
        };
        responses: {
            /** @description The request was accepted; its work continues. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayWebhookSubscriptionReply"];
                };
            };
            /** @description `idempotency_key_invalid`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `subscription_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `idempotency_in_progress`, `idempotency_key_reused`, `subscription_not_active` */
            409: components["responses"]["Conflict"];
            /** @description `event_type_unknown`, `invalid_character`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            /** @description `quota_exceeded`, `rate_limited` */
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the expected version; 412 where it is not the current one. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateWebhookSecretBody"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotateWebhookSecretReply"];
                };
            };
            /** @description `invalid_header`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `subscription_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `too_many_live_secrets` */
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    testWebhookSubscription: {
        parameters: {
            query?: never;
            header?: {
                /** @description Made by the client, new for each intent. A retry with the same key and body gets the first outcome. */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TestWebhookSubscriptionBody"];
            };
        };
        responses: {
            /** @description The request was accepted; its work continues. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestWebhookSubscriptionReply"];
                };
            };
            /** @description `idempotency_key_invalid`, `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `subscription_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `idempotency_in_progress`, `idempotency_key_reused`, `subscription_not_active` */
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    verifyWebhookSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["VerifyWebhookSubscriptionBody"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerifyWebhookSubscriptionReply"];
                };
            };
            /** @description The request was accepted; its work continues. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location: components["headers"]["Location"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerifyWebhookSubscriptionReply"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `subscription_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_transition`, `verification_expired` */
            409: components["responses"]["Conflict"];
            /** @description `invalid_character`, `validation_failed`, `verification_failed` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    registerWorker: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                worker_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegisterWorker"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobWorker"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `permission_denied` */
            403: components["responses"]["Forbidden"];
            /** @description `worker_not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character`, `unknown_job_type`, `unsupported_schema_version`, `validation_failed` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    claimJobs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                worker_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClaimJobs"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClaimedJobs"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `worker_not_found` */
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    sendWorkerHeartbeat: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                worker_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Heartbeats"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RenewedLeases"];
                };
            };
            /** @description `malformed_json`, `malformed_request` */
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `worker_not_found` */
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
    followLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The last part of the short address. */
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                    "application/json": components["schemas"]["LinkPreview"];
                    "*/*": string;
                };
            };
            /** @description Moved permanently; follow `Location`. */
            301: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Found; follow `Location`. */
            302: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Temporarily at `Location`; repeat the same method there. */
            307: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Permanently at `Location`; repeat the same method there. */
            308: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            /** @description `domain_not_found`, `link_disabled`, `link_exhausted`, `link_expired`, `link_not_found`, `not_found` */
            404: components["responses"]["NotFound"];
            /** @description `invalid_character` */
            422: components["responses"]["UnprocessableContent"];
            default: components["responses"]["AnyRefusal"];
        };
    };
}
