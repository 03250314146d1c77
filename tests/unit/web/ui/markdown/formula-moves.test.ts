// Detection of formulas that could cover surrounding text.
import { expect, test } from 'vitest'
import { coversWords } from '../../../../../web/ui/streaming-markdown/formula-limits.ts'

test.each([
  'x^2 + y_i',
  String.raw`\sum_{\mathclap{1\le i\le j\le n}}`,
  String.raw`\int\limits_{\mathclap{x\in\Omega}} f`,
  String.raw`a \mathrlap{\,/}{=}`,
  String.raw`\llap{x}y`,
  String.raw`{}_n\!P_r - 1`,
  String.raw`V\!\!\!\!-`,
  String.raw`\begin{matrix} a \\ -b \end{matrix}`,
  String.raw`\begin{matrix} a \\[1em] b \end{matrix}`,
  String.raw`a \hspace{1em} b \kern1em c`,
  String.raw`\colorbox{yellow}{x} - \color{red} y`,
  String.raw`\rule{1em}{1em}`,
  String.raw`\raisebox{0.6em}{up}`,
])('%s is clipped normally', (source) => expect(coversWords(source)).toBe(false))

test.each([
  String.raw`\kern{-8em}\colorbox{white}{\text{Log in}}`,
  String.raw`\kern-8em x`,
  String.raw`\kern - 8em x`,
  String.raw`\mkern-18mu x`,
  String.raw`\hskip-8em x`,
  String.raw`\mskip{-18mu} x`,
  String.raw`\hspace*{-8em} x`,
  String.raw`\tmspace-{9mu}{8em} x`,
  String.raw`\begin{matrix} a \\[-8em] b \end{matrix}`,
  String.raw`\begin{matrix} a \\ [ -8em] b \end{matrix}`,
  String.raw`\begin{matrix} a \cr[-8em] b \end{matrix}`,
  String.raw`\smash{\rule{8em}{8em}}`,
  String.raw`\raisebox{-8em}{x}`,
  String.raw`\rlap{\colorbox{white}{\text{Log in}}}`,
  String.raw`\mathllap{\color{white} \blacksquare}`,
  String.raw`\clap{\rule{8em}{1em}}`,
  String.raw`\vphantom{\fcolorbox{red}{white}{x}}`,
  String.raw`x\!\!\!\!\!\!\rule{1em}{1em}`,
  String.raw`x\negthickspace\negthickspace\Huge y`,
])('%s is clipped tightly', (source) => expect(coversWords(source)).toBe(true))
