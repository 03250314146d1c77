/** Texts of the demo model. They show all kinds of formatting and do not imitate real answers. */

const maxQuoteChars = 280

export function demoReasoning(question: string): string {
  const words = question.trim().split(/\s+/).filter(Boolean).length
  return [
    `The person wrote ${words === 1 ? 'one word' : `${words} words`}.`,
    'No model vendor is connected here, so nothing can be looked up or thought through.',
    'The honest thing is to say so first, then to show what an answer looks like: a heading, a list, a table and code.',
  ].join(' ')
}

export function demoAnswer(question: string, files: string, modelName: string): string {
  return `## This is the built-in demo

You chose **${modelName}**, but **no model vendor is connected** to this installation. Nothing below was written by an AI model: a small program streams it, so that the rest of the product can be tried.

${question.trim() === '' ? '' : `You wrote:\n\n${quote(question)}\n`}${files === '' ? '' : `\n${files}\n`}
### What works here

- Answers stream in as they are written, and *survive a reload* in the middle.
- Every other device of yours sees the same thread, live.
- Stop, edit, regenerate and copy do what they say:
  1. **Stop** keeps what has been written.
  2. **Edit** and **Regenerate** add a version; nothing is lost.
- ~~Knowledge of the world~~ is what a connected vendor adds.

### What to connect

| Setting | Reaches | Needs |
| :-- | :-- | --: |
| \`AI_GATEWAY_API_KEY\` | OpenAI, Anthropic, Google and more | one key |
| \`OPENROUTER_API_KEY\` | models by way of OpenRouter | one key |
| \`OLLAMA_URL\` | models on your own machine | no key |

\`\`\`ts
// How long this is, counted the way JavaScript counts.
const message = ${JSON.stringify(firstLine(question))}
console.log(message.length) // ${firstLine(question).length}
\`\`\`

> To see how failures look, send \`/demo fail\` or \`/demo fail=start\`; for a long answer, \`/demo chunks=400 delay=5\`.

Put a key into \`.dev.vars\`, start again, and **${modelName}** will answer itself.
`
}

const firstLine = (text: string): string => shorten(text.trim().split('\n')[0] ?? '', 60)

const quote = (text: string): string =>
  shorten(text.trim(), maxQuoteChars)
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n')

const shorten = (text: string, chars: number): string => (text.length <= chars ? text : `${text.slice(0, chars - 1).trimEnd()}…`)
