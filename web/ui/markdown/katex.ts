/** The chunk for formulas: KaTeX, its styles and fonts, and the copy extension. */
import katex from 'katex'
import 'katex/contrib/copy-tex'
import 'katex/dist/katex.min.css'

export { katex }
