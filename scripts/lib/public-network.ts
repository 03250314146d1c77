/**
 * Where a local run fetches pages that anybody may name. On the machine of a person stand the router, the printer and what else listens at
 * home, and workerd's own network, which has to reach an Ollama beside it, would go there. This one judges each address when it connects,
 * so a name that was public when it was looked up, and is not any more, leads nowhere.
 */
export const publicNetwork = { network: { allow: ['public'], deny: [], tlsOptions: { trustBrowserCas: true } } }
