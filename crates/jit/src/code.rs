//! The code generator of this machine, and the memory of what it has made.

use std::fmt;
use std::sync::Mutex;

use cranelift_codegen::Context;
use cranelift_codegen::ir::{AbiParam, FuncRef, Signature, types};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, default_libcall_names};
use rustc_hash::FxHashMap;

use crate::NativeError;
use crate::functions;

/// Native code in memory, which is given back when nobody can call it any more.
pub(crate) struct Memory(Mutex<Option<JITModule>>);

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Memory")
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Some(module) = self.0.get_mut().ok().and_then(Option::take) {
            // SAFETY: every routine holds its memory, so that none is left that could run.
            unsafe { module.free_memory() };
        }
    }
}

/// Makes functions one after the other.
pub(crate) struct Maker {
    module: JITModule,
    context: Context,
    builder: FunctionBuilderContext,
    imports: FxHashMap<&'static str, FuncId>,
}

/// In which order a function computes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// As the code generator sees fit: what a loop computes again and again comes before it. Numbers
    /// are computed where they are first needed, after everything that is loaded for them.
    Free,
    /// As it is written. A long function without loops is written so that few numbers wait for
    /// others, and in any other order it has most of them on the stack.
    Written,
}

impl Maker {
    /// A code generator for this machine.
    pub fn new(order: Order) -> Result<Maker, NativeError> {
        let mut flags = settings::builder();
        let effort = if order == Order::Free { "speed" } else { "none" };
        // Loads are not moved or merged: values that are kept long would fill the registers.
        for (name, value) in [
            ("opt_level", effort),
            ("enable_alias_analysis", "false"),
            ("is_pic", "false"),
            ("use_colocated_libcalls", "false"),
            ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
        ] {
            flags.set(name, value).map_err(NativeError::refused)?;
        }
        let unsupported = |why: &str| NativeError::Unsupported(why.to_owned());
        let isa = cranelift_native::builder().map_err(unsupported)?;
        let isa = isa.finish(settings::Flags::new(flags)).map_err(NativeError::refused)?;
        let mut builder = JITBuilder::with_isa(isa, default_libcall_names());
        for function in functions::all() {
            builder.symbol(function.name, function.address);
        }
        builder.symbol(functions::INDEX, functions::index as *const u8);
        builder.symbol(functions::INTERPRET, functions::interpret as *const u8);
        let mut module = JITModule::new(builder);
        let imports = imports(&mut module)?;
        let context = module.make_context();
        Ok(Maker { module, context, builder: FunctionBuilderContext::new(), imports })
    }

    /// Makes a function of pointers, which `body` writes; `result` says whether it gives a number.
    pub fn function(
        &mut self,
        pointers: usize,
        result: bool,
        body: impl FnOnce(&mut FunctionBuilder, &mut Calls),
    ) -> Result<FuncId, NativeError> {
        let mut signature = self.module.make_signature();
        signature.params.extend((0..pointers).map(|_| AbiParam::new(types::I64)));
        signature.returns.extend(result.then(|| AbiParam::new(types::F64)));
        self.context.func.signature = signature.clone();
        let mut builder = FunctionBuilder::new(&mut self.context.func, &mut self.builder);
        let block = builder.create_block();
        builder.append_block_params_for_function_params(block);
        builder.switch_to_block(block);
        let mut calls =
            Calls { module: &mut self.module, imports: &self.imports, known: FxHashMap::default() };
        body(&mut builder, &mut calls);
        builder.seal_all_blocks();
        builder.finalize(self.module.target_config());
        let id =
            self.module.declare_anonymous_function(&signature).map_err(NativeError::refused)?;
        self.module.define_function(id, &mut self.context).map_err(NativeError::refused)?;
        self.module.clear_context(&mut self.context);
        Ok(id)
    }

    /// Makes everything ready to be called: the addresses of functions, and what keeps them.
    pub fn finish(mut self, functions: &[FuncId]) -> Result<(Vec<*const u8>, Memory), NativeError> {
        self.module.finalize_definitions().map_err(NativeError::refused)?;
        let address = |id: &FuncId| self.module.get_finalized_function(*id);
        let addresses = functions.iter().map(address).collect();
        Ok((addresses, Memory(Mutex::new(Some(self.module)))))
    }
}

fn imports(module: &mut JITModule) -> Result<FxHashMap<&'static str, FuncId>, NativeError> {
    let mut imports = FxHashMap::default();
    let mut import = |name: &'static str, params: &[types::Type], gives: bool| {
        let mut signature: Signature = module.make_signature();
        signature.params.extend(params.iter().map(|ty| AbiParam::new(*ty)));
        signature.returns.extend(gives.then(|| AbiParam::new(types::F64)));
        let id = module.declare_function(name, Linkage::Import, &signature);
        imports.insert(name, id.map_err(NativeError::refused)?);
        Ok::<(), NativeError>(())
    };
    for function in functions::all() {
        import(function.name, &[types::F64; 3][..function.arguments], true)?;
    }
    import(functions::INDEX, &[types::I64, types::I64, types::F64], true)?;
    import(functions::INTERPRET, &[types::I64; 4], false)?;
    Ok(imports)
}

/// The functions that one function calls.
pub(crate) struct Calls<'a> {
    module: &'a mut JITModule,
    imports: &'a FxHashMap<&'static str, FuncId>,
    known: FxHashMap<&'static str, FuncRef>,
}

impl Calls<'_> {
    /// A function by its name.
    pub fn get(&mut self, builder: &mut FunctionBuilder, name: &str) -> FuncRef {
        let (name, id) = self.imports.get_key_value(name).expect("every function is imported");
        let module = &mut self.module;
        *self.known.entry(name).or_insert_with(|| module.declare_func_in_func(*id, builder.func))
    }
}
