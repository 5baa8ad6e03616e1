//! Rewrites a file so that it contains all of its mutants, each behind a number.

use std::collections::BTreeSet;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{BinOp, Expr, Lit, Stmt, UnOp};

/// What one mutant changes.
pub(crate) struct Mutant {
    pub(crate) number: u32,
    pub(crate) file: String,
    pub(crate) line: usize,
    /// What it was, and what it is.
    pub(crate) was: String,
    pub(crate) is: String,
}

/// Rewrites the rules of a file: `a < b` becomes `if on(7) { a <= b } else { a < b }`, where the other
/// branch contains the mutants of `a` and `b`. Numbers go on from `mutants`; those of `refused`, which
/// do not compile, are left out.
pub(crate) fn mutated(
    name: &str,
    text: &str,
    mutants: &mut Vec<Mutant>,
    refused: &BTreeSet<u32>,
) -> syn::Result<String> {
    let mut file = syn::parse_file(text)?;
    Writer {
        name,
        is_constant: false,
        mutants,
        refused,
    }
    .visit_file_mut(&mut file);
    // Each mutant begins a line, so that an error of the compiler names it.
    let text = file.into_token_stream().to_string();
    Ok(text
        .replace("if crate :: mutation", "\nif crate :: mutation")
        .replace("} else {", "}\nelse {"))
}

struct Writer<'a> {
    name: &'a str,
    /// In a constant, where only closures are rules.
    is_constant: bool,
    mutants: &'a mut Vec<Mutant>,
    refused: &'a BTreeSet<u32>,
}

impl Writer<'_> {
    /// A number for a new mutant; `None` where it does not compile.
    fn number(&mut self, span: Span, was: String, is: String) -> Option<u32> {
        if self.is_constant {
            return None;
        }
        let number = self.mutants.len() as u32 + 1;
        let (file, line) = (self.name.to_string(), span.start().line);
        self.mutants.push(Mutant {
            number,
            file,
            line,
            was,
            is,
        });
        (!self.refused.contains(&number)).then_some(number)
    }

    /// Puts `mutant`, an expression, before what `expression` has become.
    fn offer(&mut self, expression: &mut Expr, original: &Expr, mutant: &TokenStream) {
        let (was, is) = (shown(original), shown(mutant));
        if let Some(number) = self.number(original.span(), was, is) {
            *expression = syn::parse_quote! {
                (if crate::mutation::on(#number) { #mutant } else { #expression })
            };
        }
    }
}

/// Code in one line, as it is written.
fn shown(code: &impl ToTokens) -> String {
    let mut text = code.to_token_stream().to_string();
    for (spaced, tight) in [
        (" . ", "."),
        (" (", "("),
        ("( ", "("),
        (" )", ")"),
        (":: ", "::"),
        (" ::", "::"),
        ("& ", "&"),
        (" ,", ","),
        ("self .", "self."),
        (" ;", ";"),
    ] {
        text = text.replace(spaced, tight);
    }
    text
}

/// The operator that replaces another.
fn other_operator(operator: &BinOp) -> Option<BinOp> {
    Some(match operator {
        BinOp::Lt(_) => syn::parse_quote!(<=),
        BinOp::Le(_) => syn::parse_quote!(<),
        BinOp::Gt(_) => syn::parse_quote!(>=),
        BinOp::Ge(_) => syn::parse_quote!(>),
        BinOp::Eq(_) => syn::parse_quote!(!=),
        BinOp::Ne(_) => syn::parse_quote!(==),
        BinOp::Add(_) => syn::parse_quote!(-),
        BinOp::Sub(_) => syn::parse_quote!(+),
        BinOp::Mul(_) => syn::parse_quote!(/),
        BinOp::Div(_) => syn::parse_quote!(*),
        BinOp::And(_) => syn::parse_quote!(||),
        BinOp::Or(_) => syn::parse_quote!(&&),
        BinOp::Shl(_) => syn::parse_quote!(>>),
        BinOp::Shr(_) => syn::parse_quote!(<<),
        BinOp::AddAssign(_) => syn::parse_quote!(-=),
        BinOp::SubAssign(_) => syn::parse_quote!(+=),
        BinOp::MulAssign(_) => syn::parse_quote!(/=),
        BinOp::DivAssign(_) => syn::parse_quote!(*=),
        _ => return None,
    })
}

/// Whether a chain of `&&` has a `let`, so that it is no expression.
fn has_let(expression: &Expr) -> bool {
    match expression {
        Expr::Let(_) => true,
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

fn is_name(expression: &Expr) -> bool {
    matches!(
        expression,
        Expr::Path(_) | Expr::Field(_) | Expr::MethodCall(_) | Expr::Call(_)
    )
}

/// What is written about a verdict, and not the rule.
fn is_explanation(name: &str) -> bool {
    ["note", "step", "given", "probes"].contains(&name) || name.starts_with("show")
}

impl VisitMut for Writer<'_> {
    // Tests, constants, attributes and macros stay; so does what explains. A curve's pieces are made by
    // functions that need not be constant.
    fn visit_item_mod_mut(&mut self, _: &mut syn::ItemMod) {}
    fn visit_item_const_mut(&mut self, constant: &mut syn::ItemConst) {
        self.is_constant = true;
        self.visit_expr_mut(&mut constant.expr);
        self.is_constant = false;
    }

    fn visit_expr_closure_mut(&mut self, closure: &mut syn::ExprClosure) {
        let is_constant = std::mem::replace(&mut self.is_constant, false);
        self.visit_expr_mut(&mut closure.body);
        self.is_constant = is_constant;
    }

    fn visit_item_static_mut(&mut self, _: &mut syn::ItemStatic) {}
    fn visit_impl_item_const_mut(&mut self, _: &mut syn::ImplItemConst) {}
    fn visit_item_macro_mut(&mut self, _: &mut syn::ItemMacro) {}
    fn visit_attribute_mut(&mut self, _: &mut syn::Attribute) {}
    fn visit_type_mut(&mut self, _: &mut syn::Type) {}
    fn visit_pat_mut(&mut self, _: &mut syn::Pat) {}
    fn visit_generic_argument_mut(&mut self, _: &mut syn::GenericArgument) {}

    fn visit_item_fn_mut(&mut self, function: &mut syn::ItemFn) {
        let name = function.sig.ident.to_string();
        if self.name.starts_with("red/variants") {
            function.sig.constness = None;
        }
        if function.sig.constness.is_none() && !is_explanation(&name) {
            visit_mut::visit_block_mut(self, &mut function.block);
        }
    }

    fn visit_impl_item_fn_mut(&mut self, function: &mut syn::ImplItemFn) {
        let name = function.sig.ident.to_string();
        if function.sig.constness.is_none() && !is_explanation(&name) {
            visit_mut::visit_block_mut(self, &mut function.block);
        }
    }

    fn visit_stmt_mut(&mut self, statement: &mut Stmt) {
        let original = statement.clone();
        visit_mut::visit_stmt_mut(self, statement);
        // An assignment that is not made.
        let Stmt::Expr(expression, Some(_)) = &original else {
            return;
        };
        let is_assignment = match expression {
            Expr::Assign(_) => true,
            Expr::Binary(binary) => other_operator(&binary.op).is_some_and(|other| {
                shown(&other).ends_with("=")
                    && shown(&binary.op).len() == 2
                    && !matches!(
                        binary.op,
                        BinOp::Le(_) | BinOp::Ge(_) | BinOp::Eq(_) | BinOp::Ne(_)
                    )
            }),
            _ => false,
        };
        if is_assignment
            && let Some(number) = self.number(original.span(), shown(&original), "nothing".into())
        {
            *statement =
                syn::parse_quote! { if crate::mutation::on(#number) {} else { #statement } };
        }
    }

    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        let original = expression.clone();
        match expression {
            Expr::Macro(_) | Expr::Const(_) => return,
            Expr::MethodCall(call) if is_explanation(&call.method.to_string()) => return,
            Expr::Repeat(repeat) => return self.visit_expr_mut(&mut repeat.expr),
            _ => visit_mut::visit_expr_mut(self, expression),
        }
        match &original {
            Expr::Binary(binary) if !has_let(&original) => {
                let (left, right) = (&binary.left, &binary.right);
                if let Some(other) = other_operator(&binary.op) {
                    self.offer(expression, &original, &quote!(#left #other #right));
                }
            }
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => {
                self.offer(expression, &original, &unary.expr.to_token_stream());
            }
            Expr::If(branch) if is_name(&branch.cond) => {
                let cond = &branch.cond;
                let Expr::If(now) = expression else { return };
                self.offer(&mut now.cond, cond, &quote!(!(#cond)));
            }
            Expr::MethodCall(call) => {
                let other = match call.method.to_string().as_str() {
                    "min" => "max",
                    "max" => "min",
                    "saturating_add" => "saturating_sub",
                    "saturating_sub" => "saturating_add",
                    "wrapping_add" => "wrapping_sub",
                    "wrapping_sub" => "wrapping_add",
                    "is_some" => "is_none",
                    "is_none" => "is_some",
                    _ => return,
                };
                let mut changed = call.clone();
                changed.method = syn::Ident::new(other, call.method.span());
                self.offer(expression, &original, &changed.to_token_stream());
            }
            Expr::Lit(literal) => {
                let other: TokenStream = match &literal.lit {
                    Lit::Int(int) => match int.base10_parse::<u64>() {
                        Ok(number) => format!("{}{}", number + 1, int.suffix()),
                        Err(_) => return,
                    },
                    Lit::Float(float) => match float.base10_parse::<f64>() {
                        Ok(0.0) => "1.0".into(),
                        Ok(number) => format!("{:?}{}", number * 1.1, float.suffix()),
                        Err(_) => return,
                    },
                    Lit::Bool(value) => (!value.value).to_string(),
                    _ => return,
                }
                .parse()
                .expect("a literal");
                self.offer(expression, &original, &other);
            }
            _ => {}
        }
    }
}
