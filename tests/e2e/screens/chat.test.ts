/** The conversation: every screen, in both colour modes, on desktop and phone. */
import { test } from 'vitest'
import { pathOf, setStage } from '../stage.ts'
import { chatScreens } from './chat.ts'
import { walk } from './screen.ts'

const { arrive } = setStage()

const drawn = `Euler's $e^{i\\pi} + 1 = 0$, and a mistake: $\\frac{1$.

$$
\\sum_{n=1}^\\infty \\frac{1}{n^2} = \\frac{\\pi^2}{6}
$$

\`\`\`mermaid
pie title Tides
  "Moon" : 68
  "Sun" : 32
\`\`\``

test('every screen of the conversation', async () => {
  const [me, ada] = [await arrive(), await arrive()]
  await ada.send(`/demo delay=0 say=${drawn}`)
  await ada.untilAnswered()
  await me.send('Explain the tides to me')
  await me.untilAnswered()
  await me.send('/demo chunks=6 delay=0 fail')
  await me.conversation.getByRole('button', { name: 'Retry' }).waitFor()
  await walk(chatScreens, { people: { me, ada }, thread: pathOf(me), drawn: pathOf(ada) })
})
