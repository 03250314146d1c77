/** Replaces Cloudflare's Workers AI binding: records requests and streams a response in the format of its models. */

export type AskedOfBinding = { readonly name: string; readonly inputs: Record<string, unknown> }

/** `usage`: in the last event, in Cloudflare's format. */
export function workersAiBinding(
  words: readonly string[],
  usage: object | null = null,
): { readonly binding: Ai; readonly asked: readonly AskedOfBinding[] } {
  const asked: AskedOfBinding[] = []
  const run = async (name: string, inputs: Record<string, unknown>): Promise<unknown> => {
    asked.push({ name, inputs })
    if (inputs.stream !== true) return { response: words.join(''), ...(usage && { usage }) }
    const last = usage ? [JSON.stringify({ response: '', usage })] : []
    const events = [...words.map((response) => JSON.stringify({ response })), ...last, '[DONE]']
    return new Response(events.map((event) => `data: ${event}\n\n`).join('')).body
  }
  // The provider calls only this method of the binding.
  return { binding: { run } as unknown as Ai, asked }
}
