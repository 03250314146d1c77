/** All that drawing formulas needs, in one part: the library, its style and fonts, and formulas copied as they were written. */
import katex from 'katex'
import 'katex/contrib/copy-tex'
import 'katex/dist/katex.min.css'

export { katex }
